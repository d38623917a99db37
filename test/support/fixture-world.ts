import { randomBytes } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import { jobsOf } from "../../mixins/jobs.ts";
import { fixture } from "./fixture.ts";
import { type Fill, plain, validValue } from "./fixture-bodies.ts";
import {
  arranged,
  bodies,
  makerOf,
  makerOfPath,
  nextToSignIn,
  nobody,
  PASSWORD,
  type Place,
  signedIn,
  values,
} from "./fixture-makers.ts";
import { idParameters, needsSession, type Operation, readOperations } from "./fixture-operations.ts";
import { createFixtureTables } from "./fixture-tables.ts";
import type { Answer, Call } from "./http.ts";
import { multipart } from "./multipart.ts";
import { sampleFile } from "./pictures.ts";
import { type Caller, startService, type Tenant, type TestService } from "./service.ts";

export type Credential = Pick<Call, "key" | "cookie" | "host">;
export type Rows = Record<string, string>;

/** The service with the fixture module, and the ways to call any of its operations. */
export interface World {
  service: TestService;
  operations: Operation[];
  /** A place with a company of its own. */
  place(tenant: Tenant, token?: string): Promise<Place>;
  /** A row for every path parameter of the operation, and a value for every query parameter it cannot do without. */
  rows(operation: Operation, place: Place): Promise<Rows>;
  /** A body the operation accepts, or undefined when it takes none. */
  body(operation: Operation, place: Place): Promise<unknown>;
  /** What the owner presents to an operation: a key, or a session made for this call. */
  owner(operation: Operation, tenant: Tenant): Promise<Credential>;
  /** Calls an operation. */
  call(operation: Operation, as: Credential, sent?: Sent): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Sent {
  rows?: Rows;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

export const keyOf = (caller: Caller, tenant: Tenant): Credential => ({ key: caller.key, host: tenant.host });
export const newToken = (): string => `t${randomBytes(5).toString("hex")}`;

/**
 * Starts the service with the fixture and reads its document.
 * @param extra actors beside the fixture
 */
export async function startWorld(environment: Record<string, string> = {}, extra: readonly ServiceSchema[] = []): Promise<World> {
  const service = await startService({ SERVICE_SMS_API_KEY: "key", SERVICE_SMS_SENDER: "Kantoor", ...environment }, [
    ...fixture,
    ...extra,
  ]);
  // Nothing but the calls under test reads, writes or counts.
  await jobsOf(service.node.broker).stop();
  await createFixtureTables(service.sql);
  const operations = await readOperations(service);

  // Somebody new each time: operations on accounts change the one who calls. An instance administrator may call them all.
  const session = async (operation: Operation, tenant: Tenant): Promise<Credential> => {
    const person = nextToSignIn.get(tenant) ?? (await tenant.member("owner", { password: PASSWORD }));
    nextToSignIn.delete(tenant);
    await service.sql.query("update accounts set is_superuser = true where id = $1", [person.accountId]);
    const form = new URLSearchParams({ username: person.email, password: PASSWORD }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await service.call("POST", "/auth/login", { host: tenant.host, body: form, headers });
    const [cookie] = answer.headers["set-cookie"] ?? [];
    if (!cookie) throw new Error(`nobody could sign in: ${answer.status} ${answer.text}`);
    await signedIn[operation.label]?.(service.sql, person.accountId);
    return { cookie: cookie.split(";")[0] as string, host: tenant.host };
  };

  return {
    service,
    operations,
    async place(tenant, token = newToken()) {
      const empty = { tenant, sql: service.sql, token, companyId: "" };
      return { ...empty, companyId: await makerOf("company_id").make(empty) };
    },
    async rows(operation, place) {
      const made: Rows = {};
      for (const { name } of idParameters(operation))
        made[name] = name === "company_id" ? place.companyId : await makerOfPath(operation.path, name).make(place);
      for (const { name, schema } of [...operation.pathParameters, ...requiredQuery(operation)])
        made[name] ??= String(await validValue(schema, name, filling(place)));
      await arranged[operation.label]?.(place, made);
      return made;
    },
    body: async ({ label, body, fileTypes: [type = ""] }, place) =>
      bodies[label]
        ? bodies[label](place)
        : body
          ? validValue(body, "", { ...filling(place), bytes: () => sampleFile(type) })
          : undefined,
    owner: async (operation, tenant) => (needsSession(operation) ? session(operation, tenant) : keyOf(tenant.owner, tenant)),
    call(operation, as, { rows = {}, query, body, headers = {} } = {}) {
      const path = operation.path.replace(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(rows[name] ?? nobody()));
      const needed = requiredQuery(operation).map(({ name }) => [name, rows[name] ?? String(values[name]?.() ?? nobody())]);
      const search = `?${new URLSearchParams({ ...Object.fromEntries(needed), ...query })}`.replace(/^\?$/, "");
      if (operation.mediaType === "multipart/form-data" && typeof body === "object" && body !== null && !Buffer.isBuffer(body)) {
        const sent = multipartOf(body, operation);
        return service.call(operation.method, path + search, {
          ...as,
          body: sent.body,
          headers: { ...sent.headers, ...headers },
        });
      }
      const isForm = operation.mediaType !== "application/json" && operation.body !== null;
      const type: Record<string, string> = isForm && body !== undefined ? { "Content-Type": operation.mediaType } : {};
      const raw = isForm && typeof body === "object" && !Buffer.isBuffer(body) ? formOf(body as object) : body;
      return service.call(operation.method, path + search, { ...as, body: raw, headers: { ...type, ...headers } });
    },
    stop: () => service.stop(),
  };
}

/** Some kinds of records need no id, so `entity_id` may be optional; the one that is asked for here does. */
const requiredQuery = ({ query }: Operation) => query.filter(({ required, name }) => required || name === "entity_id");

/** A body as parts; what the schema says is a file is sent as one. */
const multipartOf = (body: object, { body: schema, fileTypes: [type = "text/plain"] }: Operation) =>
  multipart(
    Object.entries(body).map(([name, value]) =>
      plain(schema ?? {}).properties?.[name]?.format === "binary"
        ? { name, content: Buffer.isBuffer(value) ? value : String(value), type, fileName: "sample" }
        : { name, content: String(value) },
    ),
  );

const formOf = (body: object): string =>
  new URLSearchParams(Object.entries(body).map(([key, value]) => [key, String(value)] as [string, string])).toString();

/** Fills a schema with rows of the place: its own company, and new rows for every other reference. */
function filling(place: Place): Fill {
  return {
    token: place.token,
    reference: async (name) => (name === "company_id" ? place.companyId : makerOf(name).make(place)),
    value: (name) => values[name]?.(),
  };
}

/** Why two answers can be told apart, or null: everything but request id, date and what is left of a budget must be equal. */
export function difference(one: Answer, other: Answer): string | null {
  if (one.status !== other.status) return `${one.status} against ${other.status}`;
  if (one.text !== other.text) return `${one.text} against ${other.text}`;
  const moving = new Set(["x-request-id", "date", "ratelimit-remaining", "ratelimit-reset"]);
  const shown = ({ headers }: Answer) =>
    JSON.stringify(
      Object.entries(headers)
        .filter(([name]) => !moving.has(name))
        .sort(),
    );
  return shown(one) === shown(other) ? null : `${shown(one)} against ${shown(other)}`;
}

/** Digest of every table that holds rows of the organisation, for "nothing was written". */
export async function stateOf({ sql }: Pick<TestService, "sql">, organisationId: string): Promise<Record<string, string>> {
  const { rows } = await sql.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'sessions' order by 1`,
  );
  // One statement for all of them: this is asked hundreds of times.
  const digests = rows.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(md5(t::text), '' order by t::text), '')) as digest from "${name}" t where organisation_id = $1`,
  );
  const all = await sql.query<{ name: string; digest: string }>(digests.join(" union all "), [organisationId]);
  return Object.fromEntries(all.rows.map(({ name, digest }) => [name, digest]));
}
