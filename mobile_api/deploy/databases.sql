-- Two databases and two roles, neither a superuser: each owns one database and cannot enter the other.
-- As a superuser, with both passwords in the environment:
--   PROTOCOL_PASSWORD=… BIOMETRIC_PASSWORD=… psql -f databases.sql

\set ON_ERROR_STOP on
\getenv protocol_password PROTOCOL_PASSWORD
\getenv biometric_password BIOMETRIC_PASSWORD

CREATE ROLE thenar_protocol LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE
  PASSWORD :'protocol_password';
CREATE ROLE thenar_biometric LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE
  PASSWORD :'biometric_password';

CREATE DATABASE thenar_protocol OWNER thenar_protocol;
CREATE DATABASE thenar_biometric OWNER thenar_biometric;

-- Without this every role may connect to every database.
REVOKE ALL ON DATABASE thenar_protocol, thenar_biometric, postgres, template1 FROM PUBLIC;
