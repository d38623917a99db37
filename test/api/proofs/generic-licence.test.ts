import { saidOf } from "../../support/fixture/fixture-makers.ts";
import { isOpen, isSuccess, isWrite, needsSession, type Operation } from "../../support/fixture/fixture-operations.ts";
import { prove, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { keyOf, type Rows, startWorld, type World } from "../../support/fixture/fixture-world.ts";
import { nothingBut, watchWrites } from "../../support/fixture/write-log.ts";
import type { Tenant } from "../../support/service.ts";

describe("every operation of the document: licence", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;
  /** What each operation is called with; made while everything may still be written. */
  const prepared = new Map<Operation, { rows: Rows; body: unknown; tenant: Tenant }>();

  before(async () => {
    world = await startWorld({ SERVICE_POSTURE: "self-hosted" });
    tenant = await world.service.tenant();
    const alone = saidOf("alone");
    for (const operation of world.operations) {
      const own = alone[operation.label] === undefined ? tenant : await world.service.tenant();
      const place = await world.place(own);
      prepared.set(operation, {
        rows: await world.rows(operation, place),
        body: await world.body(operation, place),
        tenant: own,
      });
    }
    await installedDaysAgo(15);
  });
  after(() => world.stop());

  /** The date of installation grants nothing, so only this test moves it; the revision notifies running nodes. */
  const installedDaysAgo = async (days: number) => {
    await world.service.sql.query("update installation set installed_at = now() - make_interval(days => $1)", [days]);
    await world.service.sql.query("update organisations set access_revision = access_revision + 1");
  };
  const licensed = () => world.operations.filter(({ licence }) => licence !== null);
  /** Without writes behind a public link, which need no permission and a token instead of an id (payment-licence.test.ts). */
  const gated = () =>
    licensed().filter((operation) => isWrite(operation) && !isOpen(operation) && operation.declared.licenceExempt === undefined);
  const tenantOf = (operation: Operation) => (prepared.get(operation) as { tenant: Tenant }).tenant;
  const call = async (operation: Operation) =>
    world.call(operation, await world.owner(operation, tenantOf(operation)), prepared.get(operation));

  it("answers 402 to a write of a licensed module when the trial is over, for any id or body, and writes nothing", async () => {
    const check = async (operation: Operation) => {
      const as = await world.owner(operation, tenantOf(operation));
      const written = await watchWrites(world.service, tenantOf(operation).organisation.id);
      const { rows, body } = prepared.get(operation) as { rows: Rows; body: unknown };
      const malformed = Object.fromEntries(Object.keys(rows).map((name) => [name, "not-an-id"]));
      const sent = {
        "a valid request": { rows, body },
        "no such row": { body },
        "no id": { rows: malformed },
        "no body": { body: "{" },
      };
      const wrong: string[] = [];
      for (const [what, one] of Object.entries(sent)) {
        const answer = await world.call(operation, as, { ...one, headers: { "Idempotency-Key": "k", "If-Match": '"0"' } });
        wrong.push(...refusalOf(answer, 402, "license_expired", what));
      }
      return [...wrong, ...nothingBut(await written())];
    };
    await prove("unlicensed write 402", gated(), check);
  });

  it("answers 403 first to who may not write at all", async () => {
    await prove("no permission before no licence 403", gated(), async (operation) => {
      const own = tenantOf(operation);
      const nobody = await own.member("member", { grants: [] });
      return refusalOf(await world.call(operation, keyOf(nobody, own), prepared.get(operation)), 403, "forbidden");
    });
  });

  it("reads licensed modules all the same", async () => {
    const check = async (operation: Operation) => {
      const { status, text } = await call(operation);
      return isSuccess(operation, status) ? [] : [`expected a success, got ${status} ${text}`];
    };
    await prove(
      "licensed reads without licence",
      licensed().filter((operation) => !isWrite(operation)),
      check,
    );
  });

  it("writes all the same if no licence is needed", async () => {
    const check = async (operation: Operation) => {
      const { status, text } = await call(operation);
      return status < 300 ? [] : [`expected a success, got ${status} ${text}`];
    };
    const free = world.operations.filter(
      (operation) => isWrite(operation) && (operation.licence === null || operation.declared.licenceExempt !== undefined),
    );
    await prove(
      "unlicensed modules are written without licence",
      free.filter((one) => !isOpen(one) && !needsSession(one)),
      check,
    );
  });

  it("writes again from the next request once a licence lists the module, and not with one that has expired", async () => {
    const modules = [...new Set(gated().map(({ licence }) => licence as string))];
    const list =
      "insert into product_licences (module, expires_at, grace_days) select unnest($1::text[]), now() + $2::interval, 3";
    await world.service.sql.query(list, [modules, "-4 days"]);
    await installedDaysAgo(0);
    await prove("a licence past its grace days 402, trial or not", gated(), async (operation) =>
      refusalOf(await call(operation), 402, "license_expired"),
    );
    await world.service.sql.query("delete from product_licences");
    await installedDaysAgo(15);
    await world.service.sql.query(list, [modules, "-2 days"]);
    // Mail goes to the operator's relay again: the one set up above does not exist.
    await world.service.sql.query("delete from email_settings");
    const check = async (operation: Operation) => {
      const { status, text } = await call(operation);
      return status < 300 ? [] : [`expected a success, got ${status} ${text}`];
    };
    await prove("a licence within its grace days lets write", gated(), check);
  });
});
