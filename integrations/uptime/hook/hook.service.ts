import { columns } from "../../../core/database/model.ts";
import { enqueue, queryAll } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { type UntenantedCall, untenanted } from "../../../core/declare/makers/untenanted.ts";
import type { Organisation } from "../../../core/declare/principal.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../../../core/organisation/organisation.ts";
import { Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { recordBeats } from "../heartbeats/recording.ts";
import { inOrganisation } from "../in-organisation.ts";
import { isHookSecret, readHookToken } from "../instances/webhook-token.ts";
import { UptimeInstance, type UptimeInstanceRow } from "../models.ts";
import { readDelivery } from "./delivery.ts";

const OWN_ADDRESS = "workspace-reporting §5: the token in the address is the credential and names the organisation, on any host";
/** Most bytes read of a delivery: a server may save the text of a page with its heartbeat. */
const MOST_READ = 2 << 20;

const ORGANISATION = statement(`select ${columns(OrganisationModel)} from organisations where id = $1 and status = 'active'`);
const INSTANCE = statement(
  `select ${columns(UptimeInstance)} from uptime_instances where organisation_id = $1 and id = $2 and active`,
);
const HEARD = statement(`update uptime_instances set status = 'active', version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and id = $2 and mode = 'linked' and status = 'pending'`);

/**
 * Handles a delivery. An invalid address costs at most one statement, and none if it is malformed.
 * @returns 200; 400 for a malformed body; 404 for a wrong token, an inactive server or an unknown monitor; 413 if it is too large; 503 if
 * the secret cannot be read now
 */
async function delivered({ parameters, headers, body }: UntenantedCall): Promise<number> {
  const token = readHookToken(parameters["token"] ?? "");
  if (!token) return 404;
  // Only the organisation's id is known here, and only the id binds the read.
  const unknown = { id: token.organisationId } as Organisation;
  const [organisations, instances] = await inOrganisation(unknown, "read", () =>
    queryAll([ORGANISATION, [token.organisationId]], [INSTANCE, [token.organisationId, token.instanceId]]),
  );
  const [row] = organisations as OrganisationRow[];
  const [instance] = instances as unknown as UptimeInstanceRow[];
  if (!row || !instance) return 404;
  const secret = unsealed(UptimeInstance, instance, "hook_secret");
  if (secret === null) return 503;
  if (!isHookSecret(token.secret, secret)) return 404;
  if (body === null) return 413;
  const delivery = await readDelivery(Buffer.from(body, "base64"), headers["content-type"] ?? "", Date.now());
  if ("status" in delivery) return delivery.status;
  const known = await inOrganisation(organisationOf(row), "write", async () => {
    const found = await recordBeats(instance.id, [delivery.beat], true);
    if (found > 0) enqueue(HEARD, [token.organisationId, instance.id]);
    return found;
  });
  return known > 0 ? 200 : 404;
}

/** The webhook to which uptime servers post heartbeats. */
export default service("uptime.hook", {
  actions: {
    receive: untenanted({
      rest: "POST /uptime/hook/:token",
      verb: "receive",
      summary: "Delivery of an uptime server",
      description:
        "For a notification of type Webhook, as JSON or as form data. Any host name; also works after the licence lapses. Answers a bare status: 200, 400 for an invalid body, 404 for a wrong address, an inactive server or an unknown monitor, 413 for more than 64 KiB besides the saved page.",
      open: OWN_ADDRESS,
      path: { token: Type.String() },
      mostBody: MOST_READ,
      returns: null,
      status: 200,
      otherStatuses: {
        400: "No delivery of an uptime server",
        404: "No such address, or no such monitor",
        413: "Too large",
        503: "To be delivered again later",
      },
      exceptions: { host: OWN_ADDRESS, malformed: "the sender only understands the status, whatever the body" },
      async handler(ctx) {
        return { status: await delivered(ctx.params) };
      },
    }),
  },
});
