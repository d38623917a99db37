import { systemRoles } from "../../../core/declare/permissions.ts";
import { referencesOf, replaced } from "../../support/fixture/fixture-bodies.ts";
import { makerOf, saidOf } from "../../support/fixture/fixture-makers.ts";
import {
  idParameters,
  isOpen,
  isSuccess,
  isWrite,
  needsSession,
  type Operation,
} from "../../support/fixture/fixture-operations.ts";
import { prove, proveUnchanged, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { nobody } from "../../support/fixture/fixture-tools.ts";
import { inTurn } from "../../support/fixture/fixture-turns.ts";
import { difference, keyOf, partedWorld, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Maker } from "../../support/fixture/fixtures.ts";
import { unwritten } from "../../support/fixture/write-log.ts";
import type { Answer } from "../../support/http.ts";
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
    [a, b] = [await world.refusing(), await world.service.tenant()];
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
      const ways = Object.entries(credentials).flatMap(([what, as]) => [
        { what, as, isAnonymous: what === "anonymous", body: undefined },
        ...(operation.body
          ? [{ what: `${what}, unreadable body`, as, isAnonymous: what === "anonymous", body: "{unreadable" }]
          : []),
      ]);
      const [anonymous, failed] = [ways.filter(({ isAnonymous }) => isAnonymous), ways.filter(({ isAnonymous }) => !isAnonymous)];
      const wrong: string[] = [];
      for (const { what, as, body } of [...inTurn(operation, anonymous), ...inTurn(operation, failed)])
        wrong.push(...is401(await world.call(operation, as, body === undefined ? {} : { body }), what));
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
    const prepare = async (operation: Operation) => {
      const permission = operation.permission as string;
      if (!held.has(permission)) held.set(permission, await everythingElse(permission));
      const { rows, body } = await world.prepared(operation, tenant);
      const malformed = Object.fromEntries(Object.keys(rows).map((name) => [name, "not-an-id"]));
      const sent = Object.entries({
        "a real row": { rows, body },
        "no such row": { body },
        "no id": { rows: malformed },
        "no body": { rows, body: "{" },
      });
      const callers = {
        "nothing held": nothing,
        "a service account without scopes": service,
        "all else held": held.get(permission) as Caller,
      };
      const matrix = Object.entries(callers).flatMap(([who, caller]) =>
        sent.map(([what, one]) => ({ what: `${who}, ${what}`, caller, one })),
      );
      const isLast = ({ caller }: { caller: Caller }) => caller === held.get(permission);
      const chosen = [
        ...inTurn(operation, matrix.filter(isLast)),
        ...inTurn(
          operation,
          matrix.filter((one) => !isLast(one)),
        ),
      ];
      return async () => {
        const wrong: string[] = [];
        for (const { what, caller, one } of chosen) {
          const headers = { "Idempotency-Key": "k", "If-Match": '"0"' };
          wrong.push(
            ...refusalOf(await world.call(operation, keyOf(caller, tenant), { ...one, headers }), 403, "forbidden", what),
          );
        }
        return wrong;
      };
    };
    const permitted = closed().filter(({ permission }) => permission !== null);
    await proveUnchanged("no permission 403", permitted, prepare, unwritten(world.service, tenant), "permission");
  });

  /** The administrator's grants but those that answer the check. */
  const others = (permission: string): string[] => {
    const bare = permission.replace(/:(own|any)$/, "");
    return administrator.filter((grant) => grant !== bare && !grant.startsWith(`${bare}:`));
  };
  const ofOthers = () => unwritten(world.service, b as Tenant, "something of the other organisation was written");

  it("answers 404 to another organisation's id exactly as to an unknown id", async () => {
    const [mine, theirs] = [a as Tenant, b as Tenant];
    const prepare = async (operation: Operation) => {
      const parameters = idParameters(operation);
      if (parameters.length === 0) return null;
      const { rows: own, body } = await world.prepared(operation, mine);
      const { rows: elsewhere } = await world.prepared(operation, theirs);
      const as = await world.lastingOwner(operation, mine);
      return async () => {
        const wrong: string[] = [];
        for (const { name } of parameters) {
          const real = await world.call(operation, as, { rows: { ...own, [name]: elsewhere[name] as string }, body });
          const random = await world.call(operation, as, { rows: { ...own, [name]: nobody() }, body });
          wrong.push(...refusalOf(real, 404, "not_found", name));
          const reported = difference(real, random);
          if (reported) wrong.push(`${name}: their row differs from a missing row: ${reported}`);
        }
        return wrong;
      };
    };
    await proveUnchanged("another organisation's id 404", closed(), prepare, ofOthers(), "tenancy");
  });

  it("treats another organisation's id in a body or filter as an unknown id", async () => {
    const mine = a as Tenant;
    const foreign = await world.place(b as Tenant);
    const made = new Map<Maker, string>();
    const theirRow = async (name: string, { path }: Operation): Promise<string> => {
      if (name === "company_id") return foreign.companyId;
      const maker = makerOf(name, path);
      const id = made.get(maker) ?? (await maker.make(foreign));
      made.set(maker, id);
      return id;
    };
    const prepare = async (operation: Operation) => {
      const referred = operation.body ? referencesOf(operation.body) : [];
      const inBody = referred.filter(({ place }) => !CHECKED_LATER.test(place.join(".")));
      const inQuery = operation.query.filter(({ schema }) => schema.format === "uuid");
      if (inBody.length + inQuery.length === 0) return null;
      let { rows, body } = await world.prepared(operation, mine);
      const as = await world.lastingOwner(operation, mine);
      const sends = [
        ...inBody.map(({ name, place: at }) => ({
          name,
          what: `body ${at.join(".")}`,
          send: (id: string) => world.call(operation, as, { rows, body: replaced(body, at, id) }),
        })),
        ...inQuery.map(({ name }) => ({
          name,
          what: `query ${name}`,
          send: (id: string) => world.call(operation, as, { rows, query: { [name]: id } }),
        })),
      ];
      for (const { name } of sends) await theirRow(name, operation);
      return async () => {
        const wrong: string[] = [];
        for (const { name, what, send } of sends) {
          const id = await theirRow(name, operation);
          const answers: Answer[] = [];
          for (const one of [id, nobody()]) {
            const answer = await send(one);
            answers.push(answer);
            if (answer.status < 300 && isWrite(operation)) ({ rows, body } = await world.renewed(operation, mine));
          }
          const [real, random] = answers as [Answer, Answer];
          const reported =
            real.status < 300 && isWrite(operation)
              ? real.status === random.status
                ? null
                : `${real.status}, ${random.status}`
              : difference(real, random);
          if (reported) wrong.push(`${what}: their row differs from a missing row: ${reported}`);
          if (real.status < 300 && real.text.includes(id)) wrong.push(`${what}: their row was taken`);
          if (real.status >= 500) wrong.push(`${what}: ${real.status}`);
        }
        return wrong;
      };
    };
    await proveUnchanged("another organisation's id in body and query", closed(), prepare, ofOthers(), "tenancy");
  });

  it("answers 401 to a key on any other host, another organisation's or unknown", async () => {
    const tenant = a as Tenant;
    const hosts = [(b as Tenant).host, "nobody-here.kantoor.test", "kantoor.test", "elsewhere.example"];
    const check = async (operation: Operation) => {
      const credential = await world.lastingOwner(operation, tenant);
      const wrong: string[] = [];
      for (const host of inTurn(operation, hosts)) {
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

  it("works for the owner with a valid request, so that every refusal above means something", async () => {
    const alone = saidOf("alone");
    const fresh = async (operation: Operation) => {
      const tenant = alone[operation.label] === undefined ? (b as Tenant) : await world.service.tenant();
      const place = await world.place(tenant);
      const [rows, body] = [await world.rows(operation, place), await world.body(operation, place)];
      return world.call(operation, await world.owner(operation, tenant), { rows, body });
    };
    await prove("a valid request succeeds", world.operations, async (operation) => {
      if (isOpen(operation)) return null;
      const isDeclared = ({ status }: Answer) => operation.answers.has(status) && isSuccess(operation, status);
      // What the refusals above were about. An operation before may have changed more than its own rows.
      if (!needsSession(operation) && alone[operation.label] === undefined) {
        const prepared = await world.prepared(operation, b as Tenant);
        if (isDeclared(await world.call(operation, await world.owner(operation, b as Tenant), prepared))) return [];
      }
      const answer = await fresh(operation);
      return isDeclared(answer) ? [] : [`expected a declared success, got ${answer.status} ${answer.text.slice(0, 300)}`];
    });
  });
});
