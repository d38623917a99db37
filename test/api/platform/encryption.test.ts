import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { column, tenantModel } from "../../../core/database/model.ts";
import { type KeyRing, keyRing, type SealLocation, seal, unseal, unsealed } from "../../../core/database/sealed.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { runRequest } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { SEALED_TYPE, tenantTable } from "../../../migrations/step.ts";
import { rotateColumn, type SealedColumn, sealedColumnsOf } from "../../../operator/encryption.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const [FIRST, SECOND, LOST] = ["first", "second", "lost"].map((name) => `the ${name} encryption key that nobody else has`) as [
  string,
  string,
  string,
];
const MAIN = "a secret for tests that nobody else has, 0123456789";
const Vault = tenantModel("vaults", { title: column.text().orNull(), secret: column.sealed().orNull() });

/** The keys of an installation with a main secret and the given keys: the first of them seals. */
const ringOf = (encryptionKey?: string, encryptionOtherKeys: string[] = []): KeyRing =>
  keyRing({ config: { encryptionKey, encryptionOtherKeys }, secret: MAIN } as unknown as Parameters<typeof keyRing>[0]);

describe("secrets at rest", () => {
  let service: TestService;
  let tenant: Tenant;
  let other: Tenant;

  before(async () => {
    service = await startService({ SERVICE_ENCRYPTION_KEY: FIRST });
    [tenant, other] = [await service.tenant(), await service.tenant()];
    await service.sql.query(SEALED_TYPE);
    await service.sql.query(`create table vaults (id uuid primary key, organisation_id uuid not null references organisations (id), title text,
      secret sealed, version int not null default 1, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
      unique (organisation_id, id));
      create table gates (organisation_id uuid primary key references organisations (id), code sealed);
      create table locks (account_id uuid, name text, code sealed, primary key (account_id, name))`);
    await service.sql.query(tenantTable("vaults", "kantoor_app"));
  });
  after(() => service.stop());

  /** Runs work as a request of the organisation, and commits it. */
  const within = async <T>(of: Tenant, work: () => T | Promise<T>): Promise<T> => {
    const store = systemRequest("test", of.organisation, "write");
    return runRequest(store, async () => {
      const result = await work();
      await store.transaction?.commit();
      return result;
    });
  };
  const newVault = (secret: string | null, of = tenant) => within(of, () => queueInsert(Vault, { title: "One", secret }));
  const opened = (id: string, of = tenant) =>
    within(of, async () => {
      const row = await lock(Vault, id);
      return row && unsealed(Vault, row, "secret");
    });
  const stored = async (id: string): Promise<string> =>
    (await service.sql.query("select secret from vaults where id = $1", [id])).rows[0].secret;
  const environment = (encryptionKey: string, ...others: string[]) =>
    environmentOf(service.database, {
      SERVICE_ENCRYPTION_KEY: encryptionKey,
      ...(others.length > 0 && { SERVICE_ENCRYPTION_OTHER_KEYS: others.join(",") }),
    });

  describe("a model's sealed column", () => {
    it("is sealed by insert and update, and opens in its own row", async () => {
      const id = await newVault("hunter2");
      expect(await stored(id))
        .to.match(/^v1\.[0-9a-f]{8}\./)
        .and.not.contain("hunter2");
      expect(await opened(id)).to.equal("hunter2");
      await within(tenant, () => queueUpdate(Vault, id, { secret: "hunter3" }));
      expect(await opened(id)).to.equal("hunter3");
      await within(tenant, () => queueUpdate(Vault, id, { title: "Two", secret: undefined }));
      expect(await opened(id), "undefined keeps it").to.equal("hunter3");
      await within(tenant, () => queueUpdate(Vault, id, { secret: null }));
      expect(await opened(id), "null clears it").to.equal(null);
    });

    it("counts as not configured in another row, another organisation, and when damaged", async () => {
      const [one, two] = [await newVault("one"), await newVault("two")];
      const foreign = await newVault("foreign", other);
      for (const id of [two, foreign])
        await service.sql.query("update vaults set secret = (select secret from vaults where id = $1) where id = $2", [one, id]);
      expect([await opened(one), await opened(two), await opened(foreign, other)]).to.deep.equal(["one", null, null]);
      await service.sql.query("update vaults set secret = secret || 'AAAA' where id = $1", [one]);
      expect(await opened(one)).to.equal(null);
    });

    it("accepts no plain secret, from any statement", async () => {
      const id = await newVault("hunter2");
      const plain = service.sql.query("update vaults set secret = 'hunter2' where id = $1", [id]);
      expect(await plain.catch((error: { code: string }) => error.code)).to.equal("23514");
    });

    it("is known to the model and to the database alike", async () => {
      expect(Vault.columns.secret.facts.type).to.equal("sealed");
      const columns = (await sealedColumnsOf(service.sql)).map(({ table, column }) => `${table}.${column}`);
      expect(columns).to.include.members(["vaults.secret", "gates.code", "locks.code"]);
    });
  });

  describe("the keys", () => {
    const place: SealLocation = { table: "vaults", column: "secret", organisation: null, row: "1" };

    it("are the encryption key, else the main secret; the others and the main secret still open", () => {
      const old = seal("x", place, ringOf());
      expect(unseal(old, place, ringOf(FIRST))).to.equal("x");
      const first = seal("x", place, ringOf(FIRST));
      expect(unseal(first, place, ringOf(SECOND, [FIRST]))).to.equal("x");
      expect(unseal(first, place, ringOf(SECOND))).to.equal(null);
      expect(seal("x", place, ringOf(SECOND, [FIRST])).split(".")[1]).to.equal(ringOf(SECOND)[0].id);
    });

    it("bind to table, column, organisation and row, each on its own", () => {
      const text = seal("x", place, ringOf());
      for (const changed of [{ table: "t" }, { column: "c" }, { organisation: "" }, { row: "2" }])
        expect(unseal(text, { ...place, ...changed }, ringOf()), JSON.stringify(changed)).to.equal(null);
    });
  });

  describe("encryption rotate", () => {
    beforeEach(async () => {
      await service.sql.query("delete from vaults; delete from gates; delete from locks");
    });

    it("reseals every value of every table, so that the old key can be removed", async () => {
      const ids = await Promise.all(["a", "b", "c"].map((secret) => newVault(secret)));
      const foreign = await newVault("d", other);
      const [gate, account] = [tenant.organisation.id, randomUUID()];
      const places = {
        gate: { table: "gates", column: "code", organisation: gate, row: "" },
        lock: { table: "locks", column: "code", organisation: null, row: `${account}/front` },
      };
      await service.sql.query("insert into gates values ($1, $2)", [gate, seal("gate", places.gate, ringOf(FIRST))]);
      await service.sql.query("insert into locks values ($1, 'front', $2)", [account, seal("lock", places.lock, ringOf(FIRST))]);
      const before = await service.sql.query("select id, version, updated_at from vaults order by id");

      const ran = await cli(environment(SECOND, FIRST), ["encryption", "rotate", "--json"]);
      expect([ran.status, ran.err]).to.deep.equal([0, ""]);
      const counts = new Map(
        ran.json.tables.map(({ table, rotated }: { table: string; rotated: number }) => [table, rotated] as const),
      );
      expect([counts.get("vaults"), counts.get("gates"), counts.get("locks")]).to.deep.equal([4, 1, 1]);

      const only = ringOf(SECOND);
      const texts = await service.sql.query<{ id: string; organisation_id: string; secret: string }>("select * from vaults");
      const plain = new Map(
        texts.rows.map(({ id, organisation_id: organisation, secret }) => [
          id,
          unseal(secret, { table: "vaults", column: "secret", organisation, row: id }, only),
        ]),
      );
      expect([...ids, foreign].map((id) => plain.get(id))).to.deep.equal(["a", "b", "c", "d"]);
      const [{ code: gateCode }] = (await service.sql.query("select code from gates")).rows as [{ code: string }];
      const [{ code: lockCode }] = (await service.sql.query("select code from locks")).rows as [{ code: string }];
      expect([unseal(gateCode, places.gate, only), unseal(lockCode, places.lock, only)]).to.deep.equal(["gate", "lock"]);
      const after = await service.sql.query("select id, version, updated_at from vaults order by id");
      expect(after.rows, "no row was changed for its readers").to.deep.equal(before.rows);
      expect((await cli(environment(SECOND, FIRST), ["encryption", "rotate", "--json"])).json.tables[0].rotated).to.equal(0);
    });

    it("keeps concurrent changes, and reseals values written with the old key", async () => {
      await service.sql.query(
        `insert into vaults (id, organisation_id, secret) select gen_random_uuid(), $1, null from generate_series(1, 1500)`,
        [tenant.organisation.id],
      );
      const { rows } = await service.sql.query<{ id: string }>("select id from vaults");
      const placed = (row: string) => ({ table: "vaults", column: "secret", organisation: tenant.organisation.id, row });
      await service.sql.query(
        "update vaults v set secret = n.secret from unnest($1::uuid[], $2::text[]) n (id, secret) where v.id = n.id",
        [rows.map(({ id }) => id), rows.map(({ id }) => seal(`old ${id}`, placed(id), ringOf(FIRST)))],
      );
      const client = new pg.Client({ connectionString: service.database.owner });
      await client.connect();
      try {
        const column = (await sealedColumnsOf(client)).find(({ table }) => table === "vaults") as SealedColumn;
        // The service itself still seals with the first key.
        const changing = (async () => {
          for (const { id } of rows.slice(0, 200)) await within(tenant, () => queueUpdate(Vault, id, { secret: `new ${id}` }));
        })();
        let rotated = 0;
        await Promise.all([
          changing,
          (async () => {
            rotated = (await rotateColumn(client, column, ringOf(SECOND, [FIRST]))).rotated;
          })(),
        ]);
        await rotateColumn(client, column, ringOf(SECOND, [FIRST]));
        expect(rotated).to.be.at.least(1300);
      } finally {
        await client.end();
      }
      const after = await service.sql.query<{ id: string; secret: string }>("select id, secret from vaults");
      const changed = new Set(rows.slice(0, 200).map(({ id }) => id));
      const wrong = after.rows.filter(
        ({ id, secret }) => unseal(secret, placed(id), ringOf(SECOND)) !== `${changed.has(id) ? "new" : "old"} ${id}`,
      );
      expect(wrong).to.deep.equal([]);
    });

    it("leaves what no known key opens, counts it, and says which key is missing", async () => {
      const id = await newVault("kept");
      const text = seal("x", { table: "gates", column: "code", organisation: tenant.organisation.id, row: "" }, ringOf(LOST));
      await service.sql.query("insert into gates values ($1, $2)", [tenant.organisation.id, text]);
      const ran = await cli(environment(SECOND, FIRST), ["encryption", "rotate", "--json"]);
      const lostId = ringOf(LOST)[0].id;
      expect(ran.status).to.equal(2);
      expect(ran.err).to.equal(
        `1 secret does not open and counts as not configured: put the key with the id ${lostId} into SERVICE_ENCRYPTION_OTHER_KEYS and run this again.\n`,
      );
      const gates = ran.json.tables.find(({ table }: { table: string }) => table === "gates");
      expect(gates).to.deep.equal({ table: "gates", column: "code", rotated: 0, unreadable: { [lostId]: 1 } });
      expect((await stored(id)).split(".")[1], "the rest was rotated").to.equal(ringOf(SECOND)[0].id);
      const again = await cli(environment(SECOND, LOST), ["encryption", "rotate", "--json"]);
      expect(again.status).to.equal(0);
    });

    it("has a status with the number of values each key has sealed", async () => {
      await newVault("a");
      await newVault("b");
      await service.sql.query("insert into gates values ($1, $2)", [
        tenant.organisation.id,
        seal("x", { table: "gates", column: "code", organisation: tenant.organisation.id, row: "" }, ringOf(LOST)),
      ]);
      const { json } = await cli(environment(SECOND, FIRST), ["encryption", "status", "--json"]);
      expect(json.current).to.equal(ringOf(SECOND)[0].id);
      expect(json.known).to.deep.equal(ringOf(SECOND, [FIRST]).map(({ id }) => id));
      const keys = Object.fromEntries(json.tables.map(({ table, keys }: { table: string; keys: object }) => [table, keys]));
      expect(keys["vaults"]).to.deep.equal({ [ringOf(FIRST)[0].id]: 2 });
      expect(keys["gates"]).to.deep.equal({ [ringOf(LOST)[0].id]: 1 });
      const { out } = await cli(environment(SECOND, FIRST), ["encryption", "status"]);
      expect(out).to.match(new RegExp(`vaults\\.secret +${ringOf(FIRST)[0].id} +known +2`));
      expect(out).to.match(new RegExp(`gates\\.code +${ringOf(LOST)[0].id} +unknown +1`));
    });
  });
});
