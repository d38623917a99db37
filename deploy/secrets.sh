#!/usr/bin/env bash
# Makes the secrets of an installation, one file each, which only their owner can read. What is there stays as it is.
#   deploy/secrets.sh FOLDER DATABASE_HOST
set -euo pipefail
umask 077
folder=${1:?the folder of the secrets} database=${2:?the host of PostgreSQL}
mkdir -p "$folder"
cd "$folder"

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# Writes standard input to the file, unless it is there.
once() {
  cat >"$1.new"
  if [ -s "$1" ]; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

# What is encrypted in the database opens with this one alone: keep a copy elsewhere.
random | once secret
for role in postgres owner app; do random | once "$role-password"; done
once database-url <<<"postgres://kantoor_app:$(cat app-password)@$database:5432/kantoor"
once database-migration-url <<<"postgres://kantoor_owner:$(cat owner-password)@$database:5432/kantoor"
for group in gateways workers; do once "nats-$group" <<<"$group:$(random)"; done
password() { cut -d : -f 2 "nats-$1"; }
# A gateway answers no calls, so that its user cannot send answers.
once nats.conf <<END
port: 4222
authorization {
  users: [
    { user: gateways, password: "$(password gateways)"
      permissions: { publish: { allow: ["MOL-kantoor.>"], deny: ["MOL-kantoor.RES.*"] }, subscribe: ["MOL-kantoor.>"] } }
    { user: workers, password: "$(password workers)"
      permissions: { publish: ["MOL-kantoor.>"], subscribe: ["MOL-kantoor.>"] } }
  ]
}
END
