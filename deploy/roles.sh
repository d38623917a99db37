#!/usr/bin/env bash
# Makes the two roles and the database, in PostgreSQL's image at its first start (docs/operating.md, "Elsewhere").
set -euo pipefail
psql --username postgres --set ON_ERROR_STOP=1 \
  --set owner="$(cat /run/secrets/owner-password)" --set app="$(cat /run/secrets/app-password)" <<'END'
create role kantoor_owner login password :'owner';
create role kantoor_app login password :'app';
create database kantoor owner kantoor_owner;
END
