import { queryUnbound } from "../../core/database/connection/database.ts";
import { columns } from "../../core/database/model.ts";
import { grantsThatMeet, narrowed, permissions, systemRoles } from "../../core/declare/permissions.ts";
import { RouteTable } from "../../core/http/route-table.ts";
import { OrganisationModel, type OrganisationRow, organisationOf } from "../../core/organisation/organisation.ts";
import { statement } from "../../core/sql/statement.ts";
import { licensedModule } from "../../mixins/licence.ts";
import { lastStatements } from "../../mixins/request/request-steps.ts";
import { columns as aligned } from "../command.ts";
import { ConsoleError, type ListedAction, listedActions, ownerRows, type Session } from "./session.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const BY_SLUG = statement(`select ${columns(OrganisationModel)} from resolve_host(null, $1)`);

/** `orgs`: lists all organisations. */
export async function organisations(session: Session): Promise<string> {
  const rows = await ownerRows(
    session,
    `select slug, id, status, plan, access_revision, name, (select count(*) from memberships m where m.organisation_id = o.id) as members
       from organisations o where status <> 'deleted' order by slug`,
  );
  if (rows.length === 0) return "No organisation exists yet.";
  const head = ["slug", "id", "status", "plan", "members", "revision", "name"];
  return aligned([
    head,
    ...rows.map((row) => [
      row["slug"],
      row["id"],
      row["status"],
      row["plan"],
      row["members"],
      row["access_revision"],
      row["name"],
    ]),
  ]).join("\n");
}

/** `as <slug>`: later calls run as the system in that organisation. */
export async function enter(session: Session, slug: string): Promise<string> {
  const [row] = await queryUnbound<OrganisationRow>(BY_SLUG, [slug]);
  if (!row) throw new ConsoleError(`There is no organisation '${slug}'.`);
  session.organisation = organisationOf(row);
  return `Calls now run as the system in ${slug}.`;
}

/** `principal <key prefix>`: shows a key's owner and its current permissions. */
export async function principal(session: Session, given: string): Promise<string> {
  const lookup = given.split("_").find((part) => /^[0-9a-f]{4,12}$/.test(part));
  if (!lookup)
    throw new ConsoleError("A key's prefix is its first part, such as kt_0123456789ab; its first 4 characters are enough.");
  const rows = await ownerRows(
    session,
    `select k.id, k.lookup, k.name, k.scopes, k.revoked_at, k.expires_at, k.last_used_at, o.slug, o.status as organisation_status,
            s.name as service_account, s.is_active as service_active, a.email, a.is_active as account_active, m.deactivated_at, m.id as membership_id,
            coalesce((select array_agg(distinct r.key) from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id
                       where mr.organisation_id = m.organisation_id and mr.membership_id = m.id), '{}') as roles,
            coalesce((select array_agg(distinct g) from membership_roles mr join roles r on r.organisation_id = mr.organisation_id and r.id = mr.role_id,
                       unnest(r.permissions) g where mr.organisation_id = m.organisation_id and mr.membership_id = m.id), '{}') as grants,
            (select count(*) from company_group_memberships g where g.organisation_id = m.organisation_id and g.membership_id = m.id) as groups
       from api_keys k join organisations o on o.id = k.organisation_id
       left join accounts a on a.id = k.account_id
       left join memberships m on m.organisation_id = k.organisation_id and m.account_id = k.account_id
       left join service_accounts s on s.organisation_id = k.organisation_id and s.id = k.service_account_id
      where k.lookup like $1 || '%' order by k.created_at desc limit 10`,
    [lookup],
  );
  if (rows.length === 0) throw new ConsoleError(`No key begins with '${lookup}'.`);
  return rows.map(describeKey).join("\n\n");
}

function stateOf(key: Record<string, unknown>): string {
  if (key["organisation_status"] !== "active") return `dead: the organisation is ${key["organisation_status"]}`;
  if (key["revoked_at"]) return `dead: revoked at ${key["revoked_at"]}`;
  if (key["expires_at"] && Date.parse(key["expires_at"] as string) <= Date.now()) return `dead: expired at ${key["expires_at"]}`;
  if (key["service_account"] !== null) return key["service_active"] ? "works" : "dead: the service account is inactive";
  if (!key["account_active"]) return "dead: the account is disabled";
  if (key["membership_id"] === null) return "dead: its owner is no longer a member";
  return key["deactivated_at"] ? "dead: its owner is deactivated here" : "works";
}

function describeKey(key: Record<string, unknown>): string {
  const scopes = key["scopes"] as string[];
  const isService = key["service_account"] !== null;
  const effective = isService ? scopes : narrowed(scopes, key["grants"] as string[]);
  const lost = scopes.filter((scope) => !effective.includes(scope));
  const restricted = !isService && Number(key["groups"]) > 0 && !(key["grants"] as string[]).includes("*");
  return aligned([
    ["key", `${key["lookup"]} '${key["name"]}' (${key["id"]})`],
    ["state", stateOf(key)],
    ["organisation", String(key["slug"])],
    [
      "owner",
      isService ? `service account '${key["service_account"]}'` : `${key["email"]}, ${(key["roles"] as string[]).join(", ")}`,
    ],
    [
      "clients",
      restricted
        ? `those of ${key["groups"]} groups`
        : (key["roles"] as string[]).includes("client")
          ? "those of its contact"
          : "all",
    ],
    ["expires", String(key["expires_at"] ?? "never")],
    ["last used", String(key["last_used_at"] ?? "never")],
    ["may", effective.length === permissions().length ? "everything a key can carry" : effective.join(", ") || "nothing"],
    ...(lost.length === 0 ? [] : [["lost", lost.join(", ")]]),
  ]).join("\n");
}

/** Routes in the order of their paths, and of the methods of each. */
const inOrder = <T extends { urlPath?: string; method?: string }>(routes: readonly T[]): T[] =>
  routes.toSorted(
    (one, other) =>
      (one.urlPath as string).localeCompare(other.urlPath as string) ||
      METHODS.indexOf(one.method as string) - METHODS.indexOf(other.method as string),
  );

/** A path that moleculer-web serves (`api.listAliases`). */
interface Served {
  methods: string;
  path: string;
  actionName: string;
}

/** `routes [filter]`: lists the paths that the gateway serves, each with its action and required permission. */
export async function routes(session: Session, filter: string): Promise<string> {
  const served = await session.broker.call<Served[]>("api.listAliases");
  const actions = new Map(listedActions(session.broker).map((action) => [action.name, action]));
  const rows = inOrder(served.map((alias) => ({ ...alias, urlPath: `/${alias.path}`, method: alias.methods }))).map(
    ({ method, urlPath, actionName }) => {
      const action = actions.get(actionName);
      return [method, urlPath, actionName, action ? (action.permission ?? `open: ${action.open}`) : "its actor is down"];
    },
  );
  const found = rows.filter((row) => row.join(" ").toLowerCase().includes(filter.toLowerCase()));
  return found.length === 0 ? `No route contains '${filter}'.` : aligned(found).join("\n");
}

const NEEDS = {
  nothing: "anybody",
  session: "a session",
  administrator: "a session of an instance administrator",
  principal: "any principal of the organisation",
  everything: "the service itself, or a holder of every permission",
};

/** `explain <METHOD> <path>`: shows a route's action, permission and licence, and the cost of its last call on this node. */
export function explain(session: Session, method: string, given: string): string {
  const path = `/${given
    .replace(/^https?:\/\/[^/]+/, "")
    .replace(/^\/?(api\/v1\/)?/, "")
    .replace(/\?.*$/, "")}`;
  const table = new RouteTable<ListedAction>();
  for (const action of listedActions(session.broker).filter(({ rest }) => rest))
    table.add(action.method as string, action.urlPath as string, action);
  const action = table.find(method.toUpperCase(), path)?.value;
  if (!action) {
    const others = table.methodsOf(path);
    throw new ConsoleError(others.length > 0 ? `${path} takes ${others.join(", ")}.` : `No action serves ${path}.`);
  }
  const { name, rest, summary, permission, also = [], open, needs = "principal", query = {}, path: pathSchemas } = action;
  const statements = lastStatements.get(name);
  const module = licensedModule({ ...(permission !== undefined && { permission }) });
  const isRead = action.method === "GET" || action.licenceExempt !== undefined;
  const holders =
    permission === undefined
      ? []
      : systemRoles().filter(({ grants }) => grantsThatMeet(permission).some((grant) => grants.includes(grant)));
  const actor = name.slice(0, name.lastIndexOf("."));
  const nodes = session.broker.registry.getNodeList({ onlyAvailable: true, withServices: true }) as unknown as {
    id: string;
    services: { fullName: string }[];
  }[];
  const serving = nodes.filter(({ services }) => services.some(({ fullName }) => fullName === actor)).map(({ id }) => id);
  return aligned([
    ["route", String(rest)],
    ["action", `${name} on ${serving.join(", ")}`],
    ["about", String(summary)],
    ["permission", permission === undefined ? `none: ${open} (${NEEDS[needs]})` : [permission, ...also].join(" and ")],
    ...(permission === undefined ? [] : [["by default", holders.map(({ key }) => key).join(", ")]]),
    ["licence", module === null ? "none needed" : isRead ? `${module}, not for this call` : module],
    ["query", Object.keys(query).join(", ") || "none"],
    ["statements", statements === undefined ? "not called on this node yet" : `${statements} in its last call on this node`],
    ...(pathSchemas ? [["path", Object.keys(pathSchemas).join(", ")]] : []),
  ]).join("\n");
}
