import type { ServiceBroker } from "moleculer";
import { type Action, pathParameters } from "../../../core/declare/action.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { type TProperties, uuid } from "../../../core/schema/schema.ts";
import { compileParameters } from "../../../core/schema/validation.ts";
import { isEnabled, mayRead } from "../../../mixins/contributions.ts";
import { derivedFromRegistry } from "../../../mixins/live-registry.ts";
import type { ToolSpec } from "../providers/provider.ts";
import type { Source } from "../texts/events.ts";

/**
 * The reads offered as tools, by the kind of record they return. Their actions declare parameters and permissions. Excluded is everything a
 * model could use against its user: keys, settings, members, trails, files, public pages.
 */
const READS: Readonly<Record<string, string>> = {
  "companies.list": "company",
  "companies.get": "company",
  "companies.panels": "company",
  "contacts.list": "contact",
  "contacts.get": "contact",
  "projects.list": "project",
  "projects.get": "project",
  "tasks.list": "task",
  "tasks.get": "task",
  "tasks.schedules.list": "task_schedule",
  "interactions.list": "interaction",
  "interactions.get": "interaction",
  "time.entries.list": "time_entry",
  "time.views.day": "time_entry",
  "time.views.timesheet": "time_entry",
  "time.views.logged": "time_entry",
  "leave.requests.list": "leave_request",
  "leave.team.list": "leave_request",
  "domains.list": "domain",
  "domains.get": "domain",
  "websites.list": "website",
  "websites.get": "website",
  "hosting.list": "hosting",
  "hosting.get": "hosting",
  "invoicing.invoices.list": "invoice",
  "invoicing.invoices.get": "invoice",
  "invoicing.quotes.list": "quote",
  "invoicing.quotes.get": "quote",
  "subscriptions.list": "subscription",
  "subscriptions.get": "subscription",
};

/** A read as a tool. */
export interface ReadTool {
  spec: ToolSpec;
  action: string;
  entity: string;
  /** Validates a model's input and returns the parameters. @throws 422 */
  read(input: unknown): Record<string, unknown>;
}

/** Rows of a list: default and maximum. */
const ROWS = { usual: 20, most: 50 };

type Declared = Partial<Action> & { name: string };

function toolOf({
  name,
  summary = "",
  description,
  rest,
  urlPath,
  path = {},
  query: { cursor: _unneeded, ...query } = {},
  requiredQuery = [],
}: Declared): ReadTool {
  const names = pathParameters(urlPath ?? rest?.split(" ")[1] ?? "");
  const properties: TProperties = { ...Object.fromEntries(names.map((one) => [one, path[one] ?? uuid()])), ...query };
  const required = [...names, ...requiredQuery];
  const compiled = compileParameters(properties, required);
  const isPaged = "limit" in query && "offset" in query;
  return {
    action: name,
    entity: READS[name] as string,
    spec: {
      name: name.replace(/[^\w-]/g, "_"),
      description: [summary, description].filter(Boolean).join(". "),
      schema: { type: "object", properties, required },
    },
    read(input) {
      const given = typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Record<string, string>) : {};
      const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
      const values = compiled(said);
      if (!isPaged) return values;
      const limit = Math.min(Number(values["limit"] ?? ROWS.usual), ROWS.most);
      return { ...values, limit, offset: values["offset"] ?? 0, count: false };
    },
  };
}

/** The reads of all modules with their required permissions; validators are compiled once per registry change. */
const offered = derivedFromRegistry((actions) =>
  actions.flatMap((action) => {
    const { name, method, permission, also = [] } = action;
    const isOffered = Object.hasOwn(READS, name) && method === "GET" && permission !== undefined;
    return isOffered ? [{ tool: toolOf(action), module: name.split(".")[0] as string, demanded: [permission, ...also] }] : [];
  }),
);

/** The tools a principal may use, from the live registry and the organisation's enabled modules. */
export const readTools = (broker: ServiceBroker, principal: Principal | null, enabled: readonly string[]): ReadTool[] =>
  offered(broker).flatMap(({ tool, module, demanded }) =>
    isEnabled(enabled, module) && demanded.every((permission) => mayRead(principal, permission)) ? [tool] : [],
  );

const LABELS = ["name", "title", "subject", "number"] as const;
/** Records of one response listed as sources. */
const MOST_SOURCES = 10;

/** The records in a read's response. */
export function sourcesIn(answer: unknown, entity: string): Source[] {
  const { items } = (answer ?? {}) as { items?: unknown };
  const rows = Array.isArray(items) ? items : Array.isArray(answer) ? answer : [answer];
  return rows.slice(0, MOST_SOURCES).flatMap((row: unknown) => {
    const fields = (typeof row === "object" && row !== null ? row : {}) as Record<string, unknown>;
    const label = LABELS.map((key) => fields[key]).find((value) => typeof value === "string" && value !== "");
    return typeof fields["id"] === "string" && typeof label === "string" ? [{ type: entity, id: fields["id"], label }] : [];
  });
}
