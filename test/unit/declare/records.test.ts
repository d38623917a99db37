import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { ServiceSchema } from "moleculer";
import { readConfig } from "../../../core/config/config.ts";
import { customEntityTypes } from "../../../core/custom-fields/definitions.ts";
import type { Action } from "../../../core/declare/action.ts";
import { catalogue, events } from "../../../core/declare/catalogue/catalogue.ts";
import { prepareRuntime } from "../../../operator/boot.ts";
import { spreadsheets } from "../../../operator/import/run.ts";
import { ENTITY_TYPES, EVENTS_OF_INTEREST } from "../../../services/notifications/preferences/event-kinds.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const sources = globSync("{services,integrations}/**/*.ts", { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(path.join(ROOT, file), "utf8"),
}));
/** Kinds of records of modules that are built. */
const kinds = new Set(catalogue().built.flatMap(({ manifest }) => Object.keys(manifest.records ?? {})));

/** Lists with `updated_since` whose records have no kind in `GET /deleted`, by the way in which a copy learns what is gone. */
const WITHOUT_KIND = {
  "short, read whole": [
    "workspace.drive.links.list",
    "workspace.connections.list",
    "files.list",
    "leave.contracts.list",
    "leave.entitlements.list",
    "leave.holidays.list",
    "leave.profiles.list",
    "leave.rates.list",
    "leave.recurring.list",
    "leave.availability.list",
    "notifications.push.list",
    "notifications.channels.list",
    "subscriptions.prices",
    "domains.tld-prices.list",
    "invoicing.payment-intents.list",
    "invoicing.accounting.refs",
    "auth.sessions.list",
    "oauth.connections.list",
    "members.list",
    "api-keys.list",
    "service-accounts.keys",
  ],
  "rows go with age or with their record": [
    "uptime.heartbeats.list",
    "uptime.incidents.list",
    "ads.decisions.list",
    "webhooks.deliveries.list",
    "notifications.list",
    "notifications.activity.list",
    "activity.list",
    "automation.runs.list",
    "audit.list",
  ],
  "another view of a list that has a kind": [
    "registrar.accounts.options",
    "edge.pages.projects",
    "edge.accounts.options",
    "websites.availableDomains",
    "members.lookup",
    "tasks.dashboards.mine",
    "tasks.dashboards.dashboardMine",
    "tasks.schedules.list",
    "leave.team.list",
    "time.report.report",
  ],
};

/** All actions of all services, by name. */
async function allActions(): Promise<Map<string, Action>> {
  const actions = new Map<string, Action>();
  for (const file of globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT })) {
    const { default: schema } = (await import(path.join(ROOT, file))) as { default: ServiceSchema };
    for (const [name, action] of Object.entries(schema.actions ?? {}))
      if (action) actions.set(`${schema.name}.${name}`, action as unknown as Action);
  }
  return actions;
}

describe("kinds of records", () => {
  it("that can have custom fields are the earlier ones, plus new ones", () => {
    const before = ["company", "contact", "domain", "hosting", "invoice", "project", "quote", "subscription", "website"];
    expect(customEntityTypes()).to.include.members(before);
    expect(customEntityTypes()).to.deep.equal(customEntityTypes().toSorted());
  });

  it("name an action that is there and takes the record's id", async () => {
    prepareRuntime(readConfig({}));
    const actions = await allActions();
    for (const [kind, { seen }] of catalogue().records) {
      if (!seen) continue;
      const [name, parameter] = seen;
      const action = actions.get(name);
      const takes = action?.urlPath.includes(`:${parameter}`) || Object.hasOwn(action?.query ?? {}, parameter);
      expect(takes, `${kind}: ${name} with ${parameter}`).to.equal(true);
    }
  });

  it("have a kind in GET /deleted if a list with `updated_since` has them and a copy cannot read it whole", async () => {
    prepareRuntime(readConfig({}));
    const copied = new Set([...catalogue().records.values()].map((record) => record.copied?.list));
    const left = new Set(Object.values(WITHOUT_KIND).flat());
    for (const [name, { query }] of await allActions())
      if (Object.hasOwn(query ?? {}, "updated_since") && !name.startsWith("impex.")) {
        expect([copied.has(name), left.has(name)].filter(Boolean), name).to.have.length(1);
        left.delete(name);
      }
    expect([...left]).to.deep.equal([]);
  });

  it("declare their client if a notification or a rule refers to them", async () => {
    const { automation, records } = catalogue();
    const heard = Object.keys(EVENTS_OF_INTEREST).flatMap((name) => events()[name]?.entity ?? []);
    const ruled = [...automation.triggers.values()].map(({ entity_type }) => entity_type);
    for (const kind of new Set([...heard, ...ruled, ...ENTITY_TYPES])) {
      const declared = records.get(kind);
      expect(declared?.client, kind).to.not.equal(undefined);
      const isHeard = heard.includes(kind) || (ENTITY_TYPES as readonly string[]).includes(kind);
      if (isHeard) expect(declared?.client, `${kind}: the audience asks for one client`).to.not.equal("several");
      expect(declared?.readers, kind).to.not.equal(undefined);
    }
    for (const [kind, load] of automation.entities) {
      const { client, readers } = records.get(kind) ?? {};
      const entity = await load();
      // Records of people have no client: their readers' permission decides who sees a rule's runs about them.
      if (client === null) expect(readers?.own, kind).to.not.equal(undefined);
      else if (client === "several") expect(entity.client, `${kind}: the client that a rule acts for`).to.be.a("string");
      else expect(client?.table, kind).to.equal(entity.model.table);
    }
  });

  it("are declared wherever a line of the trail or an event is about one", () => {
    let looked = 0;
    for (const { file, text } of sources) {
      const constants = new Map([...text.matchAll(/const ([A-Z_]+) = "([a-z_]+)"/g)].map(([, name, value]) => [name, value]));
      for (const [, given = ""] of text.matchAll(/\b(?:trail\(|emit(?:All)?\("[a-z._]+",)\s*("[a-z_]+"|[A-Z_]+)/g)) {
        looked += 1;
        const kind = given.startsWith('"') ? given.slice(1, -1) : constants.get(given);
        expect(kinds, `${given} in ${file}`).to.include(kind);
      }
    }
    expect(looked).to.be.greaterThan(20);
  });

  it("travel as spreadsheets under a name of their own", async () => {
    const found = await spreadsheets();
    expect(found.map(({ plural }) => plural)).to.include.members(["companies", "contacts", "leave-requests"]);
    expect(new Set(found.map(({ plural }) => plural)).size).to.equal(found.length);
  });
});

describe("events", () => {
  it("are the earlier ones, plus new ones", () => {
    const before = ["company.created", "company.status_changed", "company.assigned", "leave.requested", "leave.approved"];
    const later = ["leave.rejected", "leave.cancelled", "leave.updated", "availability.saved", "availability.gone"];
    expect(Object.keys(events())).to.include.members([...before, ...later]);
  });
});
