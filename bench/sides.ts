import path from "node:path";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import type { EmbeddedServer } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { launch, launchService, type Spawned } from "../test/support/process.ts";
import { companyRows } from "./companies.ts";

export type Size = "small" | "large";

/** One of the two compared servers: how to address its two organisations. */
export interface Side {
  name: string;
  pid: number;
  port: number;
  /** Ids of the small organisation's companies. */
  ids: string[];
  /** A complete HTTP request. @param path relative to `/companies` */
  request(size: Size, method: string, path: string, body?: object): string;
  /** Its output so far. */
  output(): string;
  stop(): Promise<unknown>;
}

export const SIZES: Record<Size, number> = { small: 1000, large: 100_000 };

/** Settings of a measured service on its own database; no limits apply, except those a bench sets. */
export const measuredService = (databaseUrl: string, ownerUrl?: string): Record<string, string> => ({
  SERVICE_DATABASE_URL: databaseUrl,
  ...(ownerUrl !== undefined && { SERVICE_DATABASE_MIGRATION_URL: ownerUrl }),
  SERVICE_SECRET: "for a benchmark that nobody else can reach, 0123456789",
  SERVICE_HTTP_PORT: "0",
  SERVICE_HTTP_ADDRESS: "127.0.0.1",
  SERVICE_PUBLIC_SCHEME: "http",
  SERVICE_BASE_DOMAIN: "bench.test",
  SERVICE_LOG_LEVEL: "warn",
  SERVICE_RATE_LIMIT_PER_KEY: "0",
});

interface Caller {
  host: string;
  key: string;
}

function side(
  name: string,
  { pid, output, stop }: Spawned,
  port: number,
  root: string,
  callers: Record<Size, Caller>,
  ids: string[],
): Side {
  return {
    name,
    pid,
    port,
    ids,
    output,
    stop,
    request(size, method, path, body) {
      const { host, key } = callers[size];
      const text = body === undefined ? "" : JSON.stringify(body);
      // A six-digit number replaces `{n}`.
      const length = Buffer.byteLength(text.replaceAll("{n}", "123456"));
      const entity = text ? `Content-Type: application/json\r\nContent-Length: ${length}\r\n` : "";
      return `${method} ${root}/companies${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${entity}\r\n${text}`;
    },
  };
}

/** Runs statements as the server's superuser. */
export async function asSuperuser(server: EmbeddedServer, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url("superuser") });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Starts the floor: this one, or another program with the same arguments and output. */
export async function startFloor(server: EmbeddedServer, program = path.join(import.meta.dirname, "floor.ts")): Promise<Side> {
  // The service's own database admits no other role.
  await asSuperuser(server, "create database floor");
  const sizes = ["--small", String(SIZES.small), "--large", String(SIZES.large)];
  const floor = await launch([process.execPath, program, "--url", server.url("superuser", "floor"), "--port", "0", ...sizes], {
    ready: /"port":(\d+)[^\n]*\n/,
    within: 180_000,
  });
  const facts = JSON.parse(
    floor
      .output()
      .split("\n")
      .find((line) => line.startsWith("{")) as string,
  );
  const host = `127.0.0.1:${facts.port}`;
  const callers = { small: { host, key: facts.small.key }, large: { host, key: facts.large.key } };
  return side("floor", floor, facts.port, "", callers, facts.small.ids);
}

/**
 * Starts the unmodified service with a raised rate limit, and its two organisations filled like the floor's.
 * @param flags options of Node.js
 */
export async function startSubject(server: EmbeddedServer, flags: string[] = []): Promise<Side> {
  const service = await launchService(
    { ...measuredService(server.url("application"), server.url("owner")), SERVICE_RATE_LIMIT_PER_KEY: "100000000" },
    [],
    { flags },
  );
  const owner = new pg.Client({ connectionString: server.url("owner") });
  await owner.connect();
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const fill = async (size: Size): Promise<Caller & { id: string }> => {
    const organisation = await createOrganisation(owner, { slug: size, name: `A ${size} agency` });
    const { accountId } = await createMember(owner, organisation.id, {
      email: `owner@${size}.test`,
      fullName: "Owner",
      role: "owner",
    });
    const key = await createKey(owner, organisation.id, "kt", { name: "bench", scopes, accountId });
    await owner.query(
      `insert into companies (id, organisation_id, name, legal_name, client_number, status, invoice_email, phone, vat_number, coc_number,
         address_line1, house_number, postal_code, city, country, website, notes, custom, created_at)
       select uuidv7(), $1, c.name, c.legal_name, c.client_number, c.status, c.email, c.phone, c.vat_number, c.coc_number, c.street,
         c.house_number, c.postal_code, c.city, 'NL', c.website, c.notes, c.custom, c.created_at from (${companyRows("$2")}) c`,
      [organisation.id, SIZES[size]],
    );
    return { id: organisation.id, host: `${size}.bench.test`, key: key.value };
  };
  try {
    await owner.query("select setseed(0.42)");
    const callers = { small: await fill("small"), large: await fill("large") };
    await owner.query("vacuum analyze companies");
    const { rows } = await owner.query("select id from companies where organisation_id = $1 order by id limit 900", [
      callers.small.id,
    ]);
    const ids = rows.map(({ id }) => id as string);
    return side("service", service, service.port as number, "/api/v1", callers, ids);
  } finally {
    await owner.end();
  }
}
