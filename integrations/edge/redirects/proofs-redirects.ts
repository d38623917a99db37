import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { edgeRows } from "../proofs-accounts.ts";
import { ruleOf } from "./rules/rule.ts";

const RULE = "/edge/domains/{domain_id}/redirect/rules/{rule_id}";
const ADOPT = "POST /edge/domains/{domain_id}/redirect/adopt";
const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 302,
  preserve_path: true,
  preserve_query: false,
  include_subdomains: true,
};
/** Rules are looked up within their zone, so every zone can have one with this id. */
const OF_OTHERS = "0f".repeat(16);

/** Fixtures of redirects for the generic tests: the domain is connected and has its own redirect. */
export const redirectProofs: DefineProofs = (tools) => {
  const { edge, insert } = tools;
  const { connected } = edgeRows(tools);
  const rules = edge.redirects;
  const zoneOf = async (place: Place, domainId: string | undefined): Promise<{ zone: string; name: string }> => {
    const text = "select edge_zone_id as zone, name from edge_zones where domain_id = $1";
    return (await place.sql.query(text, [domainId])).rows[0];
  };
  /** Adds a foreign rule to the zone of a domain. */
  const withRule = async (place: Place, rows: Record<string, string>) => {
    const { zone, name } = await zoneOf(place, rows["domain_id"]);
    rules.rule(zone, { ...ruleOf(name, INTENT), expression: `http.host eq "x.${name}"`, id: rows["rule_id"] as string });
  };
  let made = 0;
  return {
    makers: {
      "/edge/domains domain_id": {
        ofCompany: true,
        async make(place) {
          const { domainId, name, zoneId, zone } = await connected(place);
          const { id: rule_id } = rules.rule(zone.id, ruleOf(name, INTENT));
          const ids = { ruleset_id: rules.ruleset(zone.id).id, rule_id };
          await insert(place, "edge_redirects", {
            zone_id: zoneId,
            domain_id: domainId,
            ...INTENT,
            ...ids,
            last_status: "active",
          });
          return domainId;
        },
      },
    },
    values: {
      target_url: () => INTENT.target_url,
      status_code: () => INTENT.status_code,
      rule_id: () => (++made).toString(16).padStart(32, "0"),
    },
    bodies: { [ADOPT]: async () => ({ ...INTENT, rule_id: OF_OTHERS }) },
    arranged: {
      [`PUT ${RULE}`]: withRule,
      [`DELETE ${RULE}`]: withRule,
      [ADOPT]: async (place, rows) => {
        const { zone, name } = await zoneOf(place, rows["domain_id"]);
        rules.ruleset(zone).rules.length = 0;
        rules.rule(zone, { ...ruleOf(name, INTENT), id: OF_OTHERS });
      },
    },
  };
};
