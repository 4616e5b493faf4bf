#!/bin/sh
# Writes deploy/.env with fresh random secrets for deploy/compose.yaml. It never overwrites the file: with new database
# passwords and a new root secret the existing data could no longer be read.
set -eu

# The folder is an optional argument, for tests and for keeping the file elsewhere.
folder=${1:-$(dirname -- "$0")}
file=$folder/.env

if [ -e "$file" ]; then
  echo "$file exists and is left as it is. It holds the only copy of this installation's secrets." >&2
  exit 1
fi

# 32 random bytes in hex: no character is special in a URL, in YAML or in a shell.
secret() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

umask 077
# The next run must not mistake an incomplete file for a complete one.
partial=$(mktemp "$folder/.env.XXXXXX")
trap 'rm -f -- "$partial"' EXIT

{
  echo "# Secrets of this installation. Keep a copy in a safe place; without SERVICE_INTERNAL_SECRET stored keys are lost."
  echo "SERVICE_INTERNAL_SECRET=$(secret)"
  for name in POSTGRES AUTH_DB INGEST_DB EVAL_RUNS_DB JUDGE_DB MONITOR_DB REDIS; do
    echo "${name}_PASSWORD=$(secret)"
  done
  # nats-server parses these as values, in which 12e4 would be a number: a leading letter makes it a string.
  for name in GATEWAY AUTH INGEST EVAL_RUNS JUDGE MONITOR OPERATOR; do
    echo "NATS_${name}_PASSWORD=p$(secret)"
  done
} > "$partial"

# ln fails if the file was created meanwhile; mv would replace it.
ln -- "$partial" "$file"
echo "Wrote $file."
