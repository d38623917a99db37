import { randomBytes } from "node:crypto";
import { action } from "../../core/action.ts";
import { sealingKey } from "../../core/crypto.ts";
import { tenantModel, types } from "../../core/model.ts";
import { projection } from "../../core/projection.ts";
import { runtime } from "../../core/runtime.ts";
import { answer, flag, input, label, uuid, writeOnly } from "../../core/schema.ts";
import { givenSecret, keyRing, sealed } from "../../core/sealed.ts";
import { trail } from "../../core/trail.ts";
import { insert } from "../../core/write.ts";
import { SEALED_TYPE, tenantTable } from "../../migrations/step.ts";
import { resource, rowsOf } from "../../mixins/resource.ts";
import { rotateColumn, sealedColumnsOf } from "../../operator/encryption.ts";
import type { Schema } from "./fixture-bodies.ts";
import { idParameters, type Operation } from "./fixture-operations.ts";
import { startWorld, type World } from "./fixture-world.ts";

const Vault = tenantModel("fixture_vaults", { name: types.TEXT, secret: sealed });
const VaultRead = answer("VaultRead", { id: uuid(), name: label(200), has_secret: flag() });
const VaultCreate = input("VaultCreate", { name: label(200), secret: writeOnly(200) });
const shown = projection({ table: "fixture_vaults", schema: VaultRead, columns: { has_secret: "t.secret is not null" } });
const vaults = rowsOf({ model: Vault, projection: shown });

/** A resource that keeps a secret as an author would write it. */
const vaultActor = resource("fixture.vaults", {
  model: Vault,
  actions: {
    create: action({
      rest: "POST /fixture/vaults",
      summary: "Keep a secret",
      permission: "companies.company.write",
      body: VaultCreate,
      returns: VaultRead,
      async handler(ctx) {
        const { name, secret } = ctx.params.body;
        const id = insert(Vault, { name, secret: givenSecret(secret) });
        trail("vault", id, "created", { has_secret: secret !== undefined });
        return vaults.written(id);
      },
    }),
  },
});

/** What became of the secrets that were sent. */
export interface Walk {
  /** Every secret field by operation, with the status of the call that carried it. */
  sent: { field: string; status: number; secret: string }[];
  /** Where a secret or a sealed text was seen that must not be there. */
  leaks: string[];
  /** Operations that were asked what they show. */
  asked: number;
  /** Sealed values by column that a rotation found and opened, and columns with values it could not open. */
  rotated: Record<string, number>;
  unopened: string[];
}

/** A name that says that the field holds something nobody should read. */
export const TELLING = /(^|_)(secret|password|api_key|private_key|credential|pin|token)s?$/;

/** Whether a field can only be written, by its own word. */
export const isWriteOnly = (field: Schema): boolean => field["writeOnly"] === true || field.format === "password";

/** Names of the fields of a body that nobody may read back: by their own word, or by their name. */
export function secretFields(body: Schema | null): string[] {
  return Object.entries(body?.properties ?? {})
    .filter(([name, field]) => isWriteOnly(field) || (TELLING.test(name) && [field.type].flat().includes("string")))
    .map(([name]) => name);
}

/** Sends a secret of its own in every secret field of the document, then looks for it in every answer and in every table. */
export async function walkSecrets(): Promise<Walk> {
  const world = await startWorld({}, [vaultActor]);
  try {
    const { sql } = world.service;
    await sql.query(`${SEALED_TYPE} create table fixture_vaults (id uuid primary key, organisation_id uuid not null references organisations (id),
      name text not null, secret sealed, version int not null default 1, created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(), unique (organisation_id, id))`);
    await sql.query(tenantTable("fixture_vaults", "kantoor_app"));
    return await walk(world);
  } finally {
    await world.stop();
  }
}

const SEALED_TEXT = /v1\.[0-9a-f]{8}\.[\w-]+\./;

async function walk(world: World): Promise<Walk> {
  const tenant = await world.service.tenant();
  const place = await world.place(tenant);
  const found: Walk = { sent: [], leaks: [], asked: 0, rotated: {}, unopened: [] };
  const look = (where: string, text: string) => {
    if (SEALED_TEXT.test(text)) found.leaks.push(`${where}: a sealed text`);
    for (const { field, secret } of found.sent) if (text.includes(secret)) found.leaks.push(`${where}: ${field}`);
  };
  const call = async (operation: Operation, body?: unknown) => {
    const rows = idParameters(operation).length > 0 || operation.query.length > 0 ? await world.rows(operation, place) : {};
    return world.call(operation, await world.owner(operation, tenant), { rows, body });
  };
  for (const operation of world.operations)
    for (const name of secretFields(operation.body)) {
      const secret = `Canary-${randomBytes(12).toString("hex")}`;
      const body = { ...((await world.body(operation, place)) as object), [name]: secret };
      const entry = { field: `${operation.label} ${name}`, status: 0, secret };
      found.sent.push(entry);
      const answer = await call(operation, body);
      entry.status = answer.status;
      look(`the answer of ${operation.label}`, answer.text);
    }
  // What makes a secret itself and shows it once may keep it sealed as well.
  for (const operation of world.operations.filter(({ declared }) => declared.oneTime))
    look(operation.label, (await call(operation, await world.body(operation, place))).text);
  for (const operation of world.operations.filter(({ method }) => method === "GET")) {
    look(operation.label, (await call(operation)).text);
    found.asked += 1;
  }
  const { rows } = await world.service.sql.query<{ sql: string; name: string }>(
    `select format('select t::text as row from %I.%I t', schemaname, tablename) as sql, tablename as name from pg_tables
      where schemaname !~ '^pg_' and schemaname <> 'information_schema'`,
  );
  for (const { sql, name } of rows) {
    const all = (await world.service.sql.query<{ row: string }>(sql)).rows.map(({ row }) => row).join("\n");
    for (const { field, secret } of found.sent) if (all.includes(secret)) found.leaks.push(`the table ${name}: ${field}`);
  }
  const next = sealingKey("the encryption key after the one of the tests");
  for (const column of await sealedColumnsOf(world.service.sql)) {
    const { rotated, unreadable } = await rotateColumn(world.service.sql, column, [next, ...keyRing(runtime())]);
    found.rotated[`${column.table}.${column.column}`] = rotated;
    if (Object.keys(unreadable).length > 0) found.unopened.push(`${column.table}.${column.column}`);
  }
  return found;
}
