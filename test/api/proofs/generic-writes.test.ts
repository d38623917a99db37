import { plain, replaced } from "../../support/fixture/fixture-bodies.ts";
import { saidOf } from "../../support/fixture/fixture-makers.ts";
import { idParameters, isOpen, needsSession, type Operation } from "../../support/fixture/fixture-operations.ts";
import { prove, proveUnchanged, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { inTurn, isWhole, oneOf } from "../../support/fixture/fixture-turns.ts";
import { keyOf, newToken, partedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { nothingBut, unwritten, watchWrites } from "../../support/fixture/write-log.ts";
import type { Tenant } from "../../support/service.ts";

interface Keyed extends Record<string, string> {
  "Idempotency-Key": string;
}

describe("every operation of the document: repeated and competing writes", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;

  before(async () => {
    world = await partedWorld();
    tenant = await world.service.tenant();
  });
  after(() => world.stop());

  const watch = () => watchWrites(world.service, tenant.organisation.id);
  /** Writes with a key: without those of a setting of the whole organisation, which would change the world of the others. */
  const keyed = () =>
    world.operations.filter(
      (operation) =>
        operation.method !== "GET" &&
        (operation.method === "POST" || idParameters(operation).length > 0) &&
        !isOpen(operation) &&
        !needsSession(operation),
    );
  const rowWrites = () =>
    world.operations.filter(
      (operation) => ["PATCH", "PUT", "DELETE"].includes(operation.method) && idParameters(operation).length > 0,
    );
  /** The single read of the row that a write changes, whose answer has the tag; a list has none. */
  const readOf = ({ path }: Operation): Operation | undefined =>
    world.operations.find(
      (operation) =>
        operation.method === "GET" && operation.path === path && !operation.query.some(({ name }) => name === "limit"),
    );
  const prepared = async (operation: Operation, of = tenant) => {
    const place = await world.place(of);
    // The last row of a kind may have to stay.
    if (operation.method === "DELETE") await world.rows(operation, place);
    return { rows: await world.rows(operation, place), body: await world.body(operation, place) };
  };

  it("answers 412 to a stale, weak or foreign If-Match and writes nothing", async () => {
    const refusing = await world.refusing();
    const prepare = async (operation: Operation) => {
      // The row of an operation with a session may be the person's own.
      const sent = needsSession(operation) ? await prepared(operation, refusing) : await world.prepared(operation, refusing);
      const as = await world.owner(operation, refusing);
      return async () => {
        const wrong: string[] = [];
        for (const tag of inTurn(operation, ['"0"', '"99999"', '"0", "99999"', 'W/"1"', "1", '""', "nonsense"])) {
          const answer = await world.call(operation, as, { ...sent, headers: { "If-Match": tag } });
          wrong.push(...refusalOf(answer, 412, "precondition_failed", tag));
        }
        return wrong;
      };
    };
    await proveUnchanged("a stale If-Match 412", rowWrites(), prepare, unwritten(world.service, refusing));
  });

  it("writes while * holds, and nothing with * if there is no row", async () => {
    const check = async (operation: Operation) => {
      const { rows, body } = await prepared(operation);
      const as = await world.owner(operation, tenant);
      const headers = { "If-Match": "*" };
      const missing = await world.call(operation, as, { body, headers });
      const { status, text } = await world.call(operation, as, { rows, body, headers });
      return [
        ...refusalOf(missing, [404, 412], undefined, "no row"),
        ...(status < 300 ? [] : [`expected a success, got ${status} ${text}`]),
      ];
    };
    await prove("If-Match: * writes", oneOf(3, rowWrites()), check);
  });

  it("lets exactly one of several writers with one tag win", async () => {
    const check = async (operation: Operation) => {
      const read = readOf(operation);
      if (!read) return null;
      const as = await world.owner(operation, tenant);
      const { rows } = await prepared(operation);
      const { etag } = (await world.call(read, as, { rows })).headers;
      if (etag === undefined) return ["the read of the row carries no ETag"];
      if (!/^"[^"]+"$/.test(etag)) return [`${etag} is no strong tag`];
      const bodies: unknown[] = [];
      const writers = isWhole(operation) ? 4 : 2;
      for (let n = 0; n < writers; n++) bodies.push(await world.body(operation, await world.place(tenant)));
      const answers = await Promise.all(
        bodies.map((body) => world.call(operation, as, { rows, body, headers: { "If-Match": etag } })),
      );
      const won = answers.filter(({ status }) => status < 300);
      const lost = answers.filter(({ status }) => status === 412 || (operation.method === "DELETE" && status === 404));
      return won.length === 1 && lost.length === writers - 1
        ? []
        : [`the answers are ${answers.map(({ status }) => status).join()}`];
    };
    await prove("one tag, one winner", rowWrites(), check);
  });

  it("moves the tag with every change, and the answer of a write carries the tag its row then has", async () => {
    const check = async (operation: Operation) => {
      const read = readOf(operation);
      if (!read || operation.method === "DELETE") return null;
      const as = await world.owner(operation, tenant);
      const { rows, body } = await prepared(operation);
      const before = (await world.call(read, as, { rows })).headers.etag;
      const written = (await world.call(operation, as, { rows, body })).headers.etag;
      const after = (await world.call(read, as, { rows })).headers.etag;
      if (before === after) return [`the tag is ${after} before and after`];
      return written === undefined || written === after ? [] : [`the write says ${written}, the row has ${after}`];
    };
    await prove("a change moves the tag", oneOf(2, rowWrites()), check);
  });

  it("does nothing twice for one Idempotency-Key and gives the same answer again; 409 to another body, 422 to a key too long", async () => {
    const check = async (operation: Operation) => {
      const as = await world.owner(operation, tenant);
      const { rows, body } = await prepared(operation);
      const headers = { "Idempotency-Key": newToken() };
      const first = await world.call(operation, as, { rows, body, headers });
      const written = await watch();
      const again = await world.call(operation, as, { rows, body, headers });
      const wrong: string[] = [];
      if (first.status >= 300) wrong.push(`expected a success, got ${first.status} ${first.text}`);
      if (first.headers["idempotent-replayed"]) wrong.push("the first answer says it is a replay");
      if (operation.declared.oneTime || operation.declared.streams)
        wrong.push(...refusalOf(again, 409, "idempotency_conflict", "repeat of a one-time answer"));
      else {
        if (again.headers["idempotent-replayed"] !== "true") wrong.push("the repeat does not say it is one");
        if (again.status !== first.status || again.text !== first.text)
          wrong.push(`${again.status} ${again.text} instead of ${first.status} ${first.text}`);
      }
      const [field] = Object.keys(plain(operation.body ?? {}).properties ?? {});
      if (field !== undefined) {
        const other = await world.call(operation, as, { rows, body: replaced(body, [field], "another value"), headers });
        wrong.push(...refusalOf(other, 409, "idempotency_conflict", "another body"));
      }
      const long = await world.call(operation, as, { rows, body, headers: { "Idempotency-Key": "x".repeat(256) } });
      wrong.push(...refusalOf(long, 422, "validation", "256 characters"));
      return [...wrong, ...nothingBut(await written(), "the repeats have written something")];
    };
    await prove("Idempotency-Key is honoured, and with another body 409", keyed(), check);
  });

  it("leaves the key free after a refusal, keeps it to principal and organisation, and lets one of two twins do the work", async () => {
    const other = await world.service.tenant();
    const colleague = await tenant.member("admin");
    /** After a refused attempt, two requests with one key write what one request writes. */
    const twins = async (operation: Operation, headers: Keyed): Promise<string[]> => {
      const as = await world.owner(operation, tenant);
      const { rows, body } = await prepared(operation);
      const wrong: string[] = [];
      if ((plain(operation.body ?? {}).required ?? []).length > 0)
        wrong.push(
          ...refusalOf(await world.call(operation, as, { rows, body: {}, headers }), 422, "validation", "the refused attempt"),
        );
      const byTwins = await watch();
      const answers = await Promise.all([1, 2].map(() => world.call(operation, as, { rows, body, headers })));
      const made = await byTwins();
      const [good, bad] = [answers.filter(({ status }) => status < 300), answers.filter(({ status }) => status >= 300)];
      if (good.length === 0 || bad.some(({ status }) => status !== 409))
        wrong.push(`the twins got ${answers.map(({ status }) => status).join()}`);
      if (new Set(good.map(({ text }) => text)).size > 1) wrong.push("the twins got different answers");
      const once = await prepared(operation);
      const byOne = await watch();
      await world.call(operation, as, { ...once, headers: { "Idempotency-Key": newToken() } });
      const expected = await byOne();
      // How much a change of a row adds depends on the rows around it.
      if (operation.method === "POST" && made.gained !== expected.gained)
        wrong.push(`the twins made ${made.tables.join(", ")}; one call makes ${expected.tables.join(", ")}`);
      return wrong;
    };
    /** A key that the owner has used, sent by a colleague. */
    const byColleague = async (operation: Operation, headers: Keyed): Promise<string[]> => {
      const {
        status,
        text,
        headers: answered,
      } = await world.call(operation, keyOf(colleague, tenant), {
        ...(await prepared(operation)),
        headers,
      });
      // Some rows only their author may change.
      const isPersonal = operation.method !== "POST" || saidOf("personal")[operation.label] !== undefined;
      return answered["idempotent-replayed"] || (status >= 300 && !(isPersonal && [403, 404].includes(status)))
        ? [`a colleague's same key: ${status} ${text}`]
        : [];
    };
    /** The same key in another organisation. */
    const elsewhere = async (operation: Operation, headers: Keyed): Promise<string[]> => {
      const place = await world.place(other);
      const { status, headers: answered } = await world.call(operation, await world.owner(operation, other), {
        rows: await world.rows(operation, place),
        body: await world.body(operation, place),
        headers,
      });
      return answered["idempotent-replayed"] || status >= 300 ? [`another organisation's same key: ${status}`] : [];
    };
    const check = async (operation: Operation) => {
      const wrong: string[] = [];
      const headers = { "Idempotency-Key": newToken() };
      const ways = inTurn(operation, [twins, byColleague, elsewhere]);
      if (!ways.includes(twins))
        await world.call(operation, await world.owner(operation, tenant), { ...(await prepared(operation)), headers });
      for (const way of ways) wrong.push(...(await way(operation, headers)));
      return wrong;
    };
    await prove("a key is free after a refusal, private, and one of twins works", oneOf(2, keyed()), check);
  });
});
