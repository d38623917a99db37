#!/usr/bin/env bash
# Makes a backup in a folder named after the moment, and removes the oldest ones.
#   deploy/backup.sh FOLDER KEEP [HOURS]    with HOURS it repeats, for ever
set -euo pipefail
folder=${1:?the folder of the backups} keep=${2:?how many backups stay} hours=${3:-}
cd "$(dirname "$0")/.."

backup() {
  node bin/run.mjs cli backup "$folder/$(date -u +%Y-%m-%dT%H%M%SZ)" || return
  # Only what this script has made, and only while newer ones are whole: an unfinished one ends in .partial.
  find "$folder" -mindepth 1 -maxdepth 1 -type d -name '20??-??-??T??????Z' | sort -r | tail -n "+$((keep + 1))" |
    while read -r old; do rm -rf -- "$old"; done
}

if [ -z "$hours" ]; then
  backup
  exit
fi
trap 'exit 0' TERM INT
while :; do
  backup || echo "This backup failed; the next one begins in $hours hours." >&2
  sleep "$((hours * 3600))" &
  wait $!
done
