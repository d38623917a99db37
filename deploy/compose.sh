#!/usr/bin/env bash
# Prepares compose.yaml: .env, and the secrets in files that only the containers' users can read. What is there stays as it is.
#   sudo deploy/compose.sh DOMAIN
set -euo pipefail
umask 077
domain=${1:?the domain below which organisations answer, such as agency.example}
cd "$(dirname "$0")"
if [ "$(id -u)" -ne 0 ]; then
  echo "Run it as root: each secret belongs to the user of the container that reads it." >&2
  exit 2
fi

./secrets.sh secrets postgres
# uid of the service and of NATS, and of PostgreSQL's own image.
chown 10001:10001 secrets/{secret,database-url,database-migration-url,nats-gateways,nats-workers,nats.conf}
chown 999:999 secrets/{postgres,owner,app}-password
mkdir -p backups caddy/tls
chown 10001:10001 backups
# The proxy's user reads its files through the mount.
chmod 755 caddy caddy/tls
chmod 644 caddy/Caddyfile

if [ ! -s .env ]; then
  version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' ../package.json)
  cat >.env <<END
# Organisations answer at <slug>.$domain. The proxy gets a certificate for each name in KANTOOR_HOSTS, separated by commas.
SERVICE_BASE_DOMAIN=$domain
KANTOOR_HOSTS=office.$domain
KANTOOR_IMAGE=kantoor
KANTOOR_VERSION=$version
# Every other setting of docs/configuration.md can stand here, such as SERVICE_MAIL_PROVIDER.
END
fi
echo "Next: docker compose --project-directory $PWD up --detach --build"
