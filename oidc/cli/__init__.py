"""What an operator types: one module for each command of ``thenar`` that the provider gives."""
