#!/bin/bash
# A day in minutes: people sign in at two processes while one of them is killed or stopped and PostgreSQL
# restarts or crashes. The other lives for four fifths of the logins and shows whether memory is flat; then
# they take turns. All is made in a new folder, which stays. Run from the root of the repository:
#   benchmarks/soak/soak.sh FOLDER_WITH_PICTURES [LOGINS] [SECONDS_BETWEEN_MISHAPS] [PYTHONPATH_OF_A_NEXT_PROGRAM]
# With a next program nothing else happens than that both roll to it, and back, again and again.
set -euo pipefail
data=$1 logins=${2:-10000} pause=${3:-15} next=${4:-}
python=${PYTHON:-.venv/bin/python} work=$(mktemp -d) ports=(18101 18102) database=18103
postgres=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
as_postgres() { if [ "$(id -u)" = 0 ]; then (cd /; runuser -u postgres -- "$@"); else "$@"; fi; }
chmod 711 "$work"
mkdir -m 777 "$work/pg"
as_postgres "$postgres/initdb" -D "$work/pg/data" -U postgres -A trust >"$work/initdb.log"
control() { as_postgres "$postgres/pg_ctl" -D "$work/pg/data" -l "$work/pg/log" -w "$@" >>"$work/pg_ctl.log"; }
control -o "-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -p $database" start
for name in protocol biometric; do
  as_postgres "$postgres/createdb" -h 127.0.0.1 -p $database -U postgres $name
done

url=http://127.0.0.1:${ports[0]}
export THENAR_OIDC_ISSUER=$url THENAR_OIDC_AUTH_URL=$url THENAR_OIDC_BASE_URL=$url THENAR_MOBILE_PUBLIC_URL=$url
export THENAR_OIDC_DATABASE_URL=postgresql+psycopg://postgres@127.0.0.1:$database/protocol
export THENAR_MOBILE_DATABASE_URL=postgresql+psycopg://postgres@127.0.0.1:$database/biometric
export THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE=$work/protocol.key THENAR_MOBILE_KEY_FILE=$work/biometric.key
export THENAR_MOBILE_TEMPLATE_TRUST=any_device THENAR_ENGINE_ATTACK_DETECTION=none
export THENAR_OIDC_CLIENT_REQUESTS_PER_MINUTE=0 THENAR_OIDC_CLIENT_LOGINS_PER_MINUTE=0
export THENAR_MOBILE_DEVICE_REQUESTS_PER_MINUTE=0 THENAR_MOBILE_SUBMISSIONS_PER_DAY=1000000
export THENAR_MOBILE_NETWORK_SUBMISSIONS_PER_DAY=1000000
thenar() { PYTHONPATH=$program $python -m mobile_api "$@"; }
program=${PYTHONPATH:-} own=${PYTHONPATH:-} mishaps=(KILL immediate TERM fast)
[ -z "$next" ] || { export PYTHONSAFEPATH=1; mishaps=(TERM); }
thenar migrate
for name in Shop Library; do
  thenar client add --name $name --redirect-uri http://127.0.0.1:9/callback --no-pkce \
    --confirm-code never --scope "openid offline_access" --json | tr -d '\n'
  echo
done >"$work/clients"

[ -z "$next" ] || PYTHONPATH=$next $python -m mobile_api migrate

pids=(0 0)
start() {
  PYTHONPATH=$program THENAR_MOBILE_GALLERY_DIR=$work/gallery-$1 \
    $python -m mobile_api serve --port "${ports[$1]}" >>"$work/serve-$1.log" 2>&1 &
  pids[$1]=$!
  until (: >"/dev/tcp/127.0.0.1/${ports[$1]}") 2>/dev/null; do sleep 0.2; done
}
start 0; start 1
finish() { kill "${pids[@]}" 2>/dev/null || true; control -m fast stop; echo "all of it: $work"; }
trap finish EXIT
$python -m benchmarks.soak --logins "$logins" "$data" "$work/clients" "${ports[@]}" >"$work/crowd" &
crowd=$! turn=0
until grep -qs . "$work/crowd" || ! kill -0 $crowd; do sleep 1; done
while sleep "$pause" && ! grep -q ends "$work/crowd" && kill -0 $crowd; do
  done=$(tail -1 "$work/crowd")
  for n in 0 1; do
    awk -v l="$done" -v n=$n '/^Rss|^Anonymous/ {print l, n, $1, $2}' "/proc/${pids[$n]}/smaps_rollup" >>"$work/memory"
  done
  n=1
  [ $((done * 5)) -lt $((logins * 4)) ] || n=$((turn / 4 % 2))
  [ -z "$next" ] || { n=$((turn % 2)); [ $((turn / 2 % 2)) = 0 ] && program=$next || program=$own; }
  what=${mishaps[$((turn++ % ${#mishaps[@]}))]}
  echo "$done logins: $what"
  case $what in
    KILL | TERM)
      kill -$what "${pids[$n]}"
      wait "${pids[$n]}" || true
      start $n ;;
    *) control -m $what restart ;;
  esac
done
wait $crowd
tail -2 "$work/crowd"
