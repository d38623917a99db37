import { systemRoles } from "../../../core/declare/permissions.ts";
import { referencesOf, replaced } from "../../support/fixture/fixture-bodies.ts";
import { makerOf } from "../../support/fixture/fixture-makers.ts";
import {
  idParameters,
  isOpen,
  isSuccess,
  isWrite,
  needsSession,
  type Operation,
} from "../../support/fixture/fixture-operations.ts";
import { prove, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { nobody } from "../../support/fixture/fixture-tools.ts";
import { difference, keyOf, partedWorld, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { nothingBut, watchWrites } from "../../support/fixture/write-log.ts";
import type { Caller, Tenant } from "../../support/service.ts";

/** References that are stored as they are sent, and looked up when a rule runs: another organisation's are not found then (platform §2.5). */
const CHECKED_LATER = /^actions[.]0[.]config[.]/;

describe("every operation of the document: who gets in", function () {
  this.timeout(180_000);
  let world: World;
  let [a, b]: Tenant[] = [];
  const administrator = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

  before(async () => {
    world = await partedWorld();
    [a, b] = [await world.service.tenant(), await world.service.tenant()];
  });
  after(() => world.stop());

  const closed = () => world.operations.filter((operation) => !isOpen(operation));
  const unauthorised = '{"error":{"code":"unauthorized","message":"errors.unauthorized"}}';
  const is401 = (answer: { status: number; text: string }, what: string): string[] =>
    answer.status === 401 && answer.text === unauthorised
      ? []
      : [`${what}: expected the one 401, got ${answer.status} ${answer.text}`];

  it("is the document of everything that is routed, the fixture included", async () => {
    const { operations } = await sharedWorld();
    const labels = operations.map(({ label }) => label);
    for (const label of ["GET /companies", "GET /fixture/sites", "PATCH /fixture/entries/{fixture_entry_id}"])
      if (!labels.includes(label)) throw new Error(`${label} is not in the document`);
  });

  it("works for the owner with a valid request, so that every refusal below means something", async () => {
    await prove("a valid request succeeds", world.operations, async (operation) => {
      if (isOpen(operation)) return null;
      const place = await world.place(a as Tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      const answer = await world.call(operation, await world.owner(operation, a as Tenant), { rows, body });
      const declared = operation.answers.has(answer.status) && isSuccess(operation, answer.status);
      return declared ? [] : [`expected a declared success, got ${answer.status} ${answer.text.slice(0, 300)}`];
    });
  });

  it("answers 401 to an anonymous caller, to a made-up key, to a revoked key and to a session that never existed", async () => {
    const { host, member } = a as Tenant;
    const revoked = await member("admin");
    await world.service.sql.query("update api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
    const credentials = {
      anonymous: { host },
      "a malformed key": { host, key: "kt_nonsense" },
      "an unknown key": { host, key: `kt_${"0".repeat(12)}_${"0".repeat(64)}` },
      "a wrong secret": { host, key: `${(a as Tenant).owner.key.slice(0, -4)}0000` },
      "a revoked key": { host, key: revoked.key },
      "an unknown session": { host, cookie: `kantoor_session=${"0".repeat(64)}; __Host-kantoor_session=${"0".repeat(64)}` },
    };
    const check = async (operation: Operation) => {
      const wrong: string[] = [];
      for (const [what, as] of Object.entries(credentials)) {
        wrong.push(...is401(await world.call(operation, as), what));
        if (operation.body)
          wrong.push(...is401(await world.call(operation, as, { body: "{unreadable" }), `${what}, unreadable body`));
      }
      return wrong;
    };
    await prove("anonymous and failed credentials 401", closed(), check, "anonymous");
  });

  it("answers 401 to a key where only a session is allowed, or 403 where declared", async () => {
    await prove("a key where a session is needed 401 or 403", world.operations.filter(needsSession), async (operation) => {
      const answer = await world.call(operation, keyOf((a as Tenant).owner, a as Tenant));
      return operation.declared.sessionOnly ? refusalOf(answer, 403, "forbidden", "key") : is401(answer, "key");
    });
  });

  it("answers 403 to a caller without the permission, for any id or body", async () => {
    const tenant = a as Tenant;
    const nothing = await tenant.member("member", { grants: [] });
    const service = await tenant.serviceAccount([]);
    const everythingElse = (permission: string) => tenant.member("member", { grants: others(permission) });
    const held = new Map<string, Caller>();
    await prove(
      "no permission 403",
      closed().filter(({ permission }) => permission !== null),
      async (operation) => {
        const permission = operation.permission as string;
        if (!held.has(permission)) held.set(permission, await everythingElse(permission));
        const place = await world.place(tenant);
        const rows = await world.rows(operation, place);
        const body = await world.body(operation, place);
        const written = await watchWrites(world.service, tenant.organisation.id);
        const wrong: string[] = [];
        const callers = {
          "nothing held": nothing,
          "a service account without scopes": service,
          "all else held": held.get(permission),
        };
        for (const [who, caller] of Object.entries(callers)) {
          const as = keyOf(caller as Caller, tenant);
          const malformed = Object.fromEntries(Object.keys(rows).map((name) => [name, "not-an-id"]));
          const sent = {
            "a real row": { rows, body },
            "no such row": { body },
            "no id": { rows: malformed },
            "no body": { rows, body: "{" },
          };
          for (const [what, one] of Object.entries(sent)) {
            const answer = await world.call(operation, as, { ...one, headers: { "Idempotency-Key": "k", "If-Match": '"0"' } });
            wrong.push(...refusalOf(answer, 403, "forbidden", `${who}, ${what}`));
          }
        }
        return [...wrong, ...nothingBut(await written())];
      },
      "permission",
    );
  });

  /** The administrator's grants but those that answer the check. */
  const others = (permission: string): string[] => {
    const bare = permission.replace(/:(own|any)$/, "");
    return administrator.filter((grant) => grant !== bare && !grant.startsWith(`${bare}:`));
  };
  it("answers 404 to another organisation's id exactly as to an unknown id", async () => {
    const [mine, theirs] = [a as Tenant, b as Tenant];
    const foreign = await world.place(theirs);
    const check = async (operation: Operation) => {
      const parameters = idParameters(operation);
      if (parameters.length === 0) return null;
      const place = await world.place(mine);
      const own = await world.rows(operation, place);
      const elsewhere = await world.rows(operation, foreign);
      const body = await world.body(operation, place);
      const written = await watchWrites(world.service, theirs.organisation.id);
      const as = await world.owner(operation, mine);
      const wrong: string[] = [];
      for (const { name } of parameters) {
        const real = await world.call(operation, as, { rows: { ...own, [name]: elsewhere[name] as string }, body });
        const random = await world.call(operation, as, { rows: { ...own, [name]: nobody() }, body });
        wrong.push(...refusalOf(real, 404, "not_found", name));
        const reported = difference(real, random);
        if (reported) wrong.push(`${name}: their row differs from a missing row: ${reported}`);
      }
      return [...wrong, ...nothingBut(await written(), "something of the other organisation was written")];
    };
    await prove("another organisation's id 404", closed(), check, "tenancy");
  });

  it("treats another organisation's id in a body or filter as an unknown id", async () => {
    const [mine, theirs] = [a as Tenant, b as Tenant];
    const foreign = await world.place(theirs);
    const check = async (operation: Operation) => {
      const referred = operation.body ? referencesOf(operation.body) : [];
      const inBody = referred.filter(({ place }) => !CHECKED_LATER.test(place.join(".")));
      const inQuery = operation.query.filter(({ schema }) => schema.format === "uuid");
      if (inBody.length + inQuery.length === 0) return null;
      const as = await world.owner(operation, mine);
      const wrong: string[] = [];
      const same = async (what: string, send: (id: string) => ReturnType<World["call"]>, name: string) => {
        const id = name === "company_id" ? foreign.companyId : await makerOf(name, operation.path).make(foreign);
        const written = await watchWrites(world.service, theirs.organisation.id);
        const [real, random] = [await send(id), await send(nobody())];
        wrong.push(...nothingBut(await written(), `${what}: something of the other organisation was written`));
        const reported =
          real.status < 300 && isWrite(operation)
            ? real.status === random.status
              ? null
              : `${real.status}, ${random.status}`
            : difference(real, random);
        if (reported) wrong.push(`${what}: their row differs from a missing row: ${reported}`);
        if (real.status < 300 && real.text.includes(id)) wrong.push(`${what}: their row was taken`);
        if (real.status >= 500) wrong.push(`${what}: ${real.status}`);
      };
      for (const { name, place: at } of inBody) {
        const send = async (id: string) => {
          const place = await world.place(mine);
          const body = replaced(await world.body(operation, place), at, id);
          return world.call(operation, as, { rows: await world.rows(operation, place), body });
        };
        await same(`body ${at.join(".")}`, send, name);
      }
      const place = await world.place(mine);
      const rows = await world.rows(operation, place);
      for (const { name } of inQuery)
        await same(`query ${name}`, (id) => world.call(operation, as, { rows, query: { [name]: id } }), name);
      return wrong;
    };
    await prove("another organisation's id in body and query", closed(), check, "tenancy");
  });

  it("answers 401 to a key on any other host, another organisation's or unknown", async () => {
    const tenant = a as Tenant;
    const check = async (operation: Operation) => {
      const credential = await world.owner(operation, tenant);
      const wrong: string[] = [];
      for (const host of [(b as Tenant).host, "nobody-here.kantoor.test", "kantoor.test", "elsewhere.example"]) {
        const answer = await world.call(operation, { ...credential, host });
        const unknown = credential.key === undefined && host !== (b as Tenant).host;
        wrong.push(...(unknown ? refusalOf(answer, 404, "unknown_host", host) : is401(answer, host)));
      }
      return wrong;
    };
    await prove("wrong host 401", closed(), check, "host");
  });

  it("answers 404 unknown_host where no credential is needed", async () => {
    const check = async (operation: Operation) =>
      refusalOf(await world.call(operation, { host: "nobody-here.kantoor.test" }), 404, "unknown_host");
    await prove("open on an unknown host 404", world.operations.filter(isOpen), check, "host");
  });
});
