#!/bin/sh
# Writes deploy/.env with fresh random secrets for deploy/compose.yaml. It never overwrites: with new database passwords
# and a new root secret the existing data could not be read any more.
set -eu

# For tests and for keeping the file elsewhere: the folder may be named.
folder=${1:-$(dirname -- "$0")}
file=$folder/.env

if [ -e "$file" ]; then
  echo "$file exists and is left as it is. It holds the only copy of this installation's secrets." >&2
  exit 1
fi

# 32 random bytes in hex: no character of it means anything in a URL, in YAML or in a shell.
secret() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

umask 077
# A file that is half written must not be taken for a whole one by the next run.
partial=$(mktemp "$folder/.env.XXXXXX")
trap 'rm -f -- "$partial"' EXIT

{
  echo "# Secrets of this installation. Keep a copy in a safe place; without SERVICE_INTERNAL_SECRET stored keys are lost."
  echo "SERVICE_INTERNAL_SECRET=$(secret)"
  for name in POSTGRES AUTH_DB INGEST_DB EVAL_RUNS_DB JUDGE_DB MONITOR_DB REDIS; do
    echo "${name}_PASSWORD=$(secret)"
  done
  # nats-server reads these as values of its own syntax, where 12e4 would be a number: a letter first makes it a word.
  for name in GATEWAY AUTH INGEST EVAL_RUNS JUDGE MONITOR; do
    echo "NATS_${name}_PASSWORD=p$(secret)"
  done
} > "$partial"

# ln fails when the file has come into being meanwhile; mv would replace it.
ln -- "$partial" "$file"
echo "Wrote $file."
