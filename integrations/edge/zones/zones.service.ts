import { searchWords } from "../../../core/database/lists/words.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { flag, instant, integer, multiline, optional, uuid } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { EdgeZone } from "../models.ts";
import { type VisibleDomain, visibleDomain } from "../visible-domain.ts";
import { type Connection, connect, findConnection } from "./connect.ts";
import { link, unlink } from "./linking.ts";
import { zones } from "./zone-rows.ts";
import { ConnectRequest, ZoneLink, ZonePage, ZoneRead } from "./zone-schemas.ts";

const LONGEST_NAME = 253;

interface FoundZone {
  domain: VisibleDomain;
  connection: Connection;
}

/** Zones as last read, and the domain each serves (assets §7). */
export default resource("edge.zones", {
  model: EdgeZone,
  actions: {
    list: action({
      rest: "GET /edge/zones",
      summary: "List zones as they were last read",
      description: "Sorted by name, gone ones included. `linked`: true for zones linked to a domain, false for others.",
      permission: "edge.dns.read",
      query: {
        limit: optional(integer(1, 200, { default: 50 })),
        offset: optional(integer(0, Number.MAX_SAFE_INTEGER, { default: 0 })),
        account_id: optional(uuid()),
        domain_id: optional(uuid()),
        linked: optional(flag()),
        q: optional(multiline(LONGEST_NAME)),
        count: optional(flag(true)),
        updated_since: optional(instant()),
      },
      returns: ZonePage,
      handler(ctx) {
        const { account_id, domain_id, linked, q, ...asked } = ctx.params;
        return zones.page(asked, { account_id, domain_id, linked, words: searchWords(q) });
      },
    }),

    link: action({
      rest: "POST /edge/zones/:zone_id/link",
      verb: "create",
      summary: "Link a zone to a domain",
      description: "The names of zone and domain can differ. Does not call the provider.",
      permission: "edge.zone.manage",
      body: ZoneLink,
      example: { domain_id: "4ea11267-0c1e-4a5b-8d2f-4ea112670001" },
      returns: ZoneRead,
      status: 200,
      conditional: true,
      errors: ["edge_domain_already_linked"],
      async handler(ctx) {
        const id = ctx.params.zone_id;
        const zone = await zones.forWrite(id);
        await link(zone, await visibleDomain(ctx.params.body.domain_id));
        return zones.answerWith(id);
      },
    }),

    unlink: action({
      rest: "DELETE /edge/zones/:zone_id/link",
      summary: "Unlink a zone from its domain",
      description: "The zone keeps serving at the provider.",
      permission: "edge.zone.manage",
      returns: ZoneRead,
      async handler(ctx) {
        const id = ctx.params.zone_id;
        unlink(await zones.forWrite(id));
        return zones.answerWith(id);
      },
    }),

    connect: action({
      rest: "POST /edge/domains/:domain_id/connect",
      summary: "Connect a domain with its zone",
      description: "Uses an existing zone; creates one otherwise, unless `create_if_missing` is false.",
      permission: "edge.zone.manage",
      body: ConnectRequest,
      example: { create_if_missing: true },
      returns: ZoneRead,
      status: 200,
      errors: [
        "edge_account_ambiguous",
        "edge_account_inactive",
        "edge_cannot_create_zone",
        "edge_domain_already_linked",
        "edge_no_account",
        "edge_request_failed",
        "edge_scope_missing",
        "edge_token_ip_blocked",
        "edge_token_rejected",
        "edge_token_unreadable",
        "edge_unreachable",
        "edge_zone_ambiguous",
        "edge_zone_exists",
        "edge_zone_not_found",
      ],
      acts: "outside",
      async prepare(ctx): Promise<FoundZone> {
        const domain = await visibleDomain(ctx.params.domain_id);
        return { domain, connection: await findConnection(domain, ctx.params.body) };
      },
      async handler() {
        const { domain, connection } = prepared<FoundZone>();
        return zones.answerWith(await connect(domain, connection));
      },
    }),
  },
});
