import { saidOf } from "../../support/fixture/fixture-makers.ts";
import {
  idParameters,
  isOpen,
  isSuccess,
  isWrite,
  needsSession,
  type Operation,
} from "../../support/fixture/fixture-operations.ts";
import { prove, proveUnchanged, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { inTurn, oneOfEach } from "../../support/fixture/fixture-turns.ts";
import { keyOf, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import { unwritten } from "../../support/fixture/write-log.ts";
import type { Tenant } from "../../support/service.ts";

describe("every operation of the document: licence", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;

  before(async () => {
    world = await sharedWorld();
    tenant = await world.service.tenant();
    // What each operation is called with is made while everything may still be written.
    for (const operation of world.operations) {
      if (saidOf("alone")[operation.label] !== undefined) alone.set(operation, await world.service.tenant());
      if (isCalled(operation)) await world.prepared(operation, tenantOf(operation));
    }
    await installedDaysAgo(15);
  });
  after(async () => {
    await world.service.sql.query("delete from product_licences");
    await installedDaysAgo(0);
    await world.stop();
  });

  /** The date of installation grants nothing, so only this test moves it; the revision notifies running nodes. */
  const installedDaysAgo = async (days: number) => {
    await world.service.sql.query("update installation set installed_at = now() - make_interval(days => $1)", [days]);
    await world.service.sql.query("update organisations set access_revision = access_revision + 1");
  };
  /** Organisations of operations that would remove what another needs. */
  const alone = new Map<Operation, Tenant>();
  const tenantOf = (operation: Operation): Tenant => alone.get(operation) ?? tenant;
  const licensed = () => world.operations.filter(({ licence }) => licence !== null);
  /** Without writes behind a public link, which need no permission and a token instead of an id (payment-licence.test.ts). */
  const gated = () =>
    licensed().filter((operation) => isWrite(operation) && !isOpen(operation) && operation.declared.licenceExempt === undefined);
  const free = () =>
    world.operations.filter(
      (operation) =>
        isWrite(operation) &&
        (operation.licence === null || operation.declared.licenceExempt !== undefined) &&
        !isOpen(operation) &&
        !needsSession(operation),
    );
  const licensedReads = () => licensed().filter((operation) => !isWrite(operation));

  let called: ReadonlySet<Operation> | undefined;
  /** Whether it is called to succeed: every operation, or in the first tier one of each kind in each module. Of the others the gate is asked. */
  const isCalled = (operation: Operation): boolean => {
    const kindOf = ({ licence, method, path }: Operation) => `${licence} ${method} ${licence === null ? path.split("/")[1] : ""}`;
    called ??= new Set([gated(), free(), licensedReads()].flatMap((all) => oneOfEach(all, kindOf)));
    return called.has(operation);
  };
  const call = async (operation: Operation) =>
    world.call(
      operation,
      await world.owner(operation, tenantOf(operation)),
      await world.prepared(operation, tenantOf(operation)),
    );
  /** The refusal if the licence stops it. An operation that is not called is asked with no row and a body that nothing reads. */
  const stopped = async (operation: Operation): Promise<string[]> => {
    if (isCalled(operation)) {
      const { status, text } = await call(operation);
      return isSuccess(operation, status) ? [] : [`expected a success, got ${status} ${text}`];
    }
    const sent = operation.body ? { body: "{" } : {};
    const { status, text } = await world.call(operation, await world.lastingOwner(operation, tenant), sent);
    return status === 402 || status >= 500 ? [`expected no refusal by the licence, got ${status} ${text}`] : [];
  };

  it("answers 402 to a write of a licensed module when the trial is over, for any id or body, and writes nothing", async () => {
    const prepare = async (operation: Operation) => {
      const as = await world.lastingOwner(operation, tenantOf(operation));
      const { rows, body } = isCalled(operation) ? await world.prepared(operation, tenantOf(operation)) : {};
      const malformed = Object.fromEntries(idParameters(operation).map(({ name }) => [name, "not-an-id"]));
      const anyId = { "no such row": { body }, "no id": { rows: malformed }, "no body": { body: "{" } };
      const sent = isCalled(operation)
        ? Object.entries({ "a valid request": { rows, body }, ...anyId })
        : inTurn(operation, Object.entries(anyId));
      return async () => {
        const wrong: string[] = [];
        for (const [what, one] of sent) {
          const answer = await world.call(operation, as, { ...one, headers: { "Idempotency-Key": "k", "If-Match": '"0"' } });
          wrong.push(...refusalOf(answer, 402, "license_expired", what));
        }
        return wrong;
      };
    };
    await proveUnchanged("unlicensed write 402", gated(), prepare, unwritten(world.service, tenant));
  });

  it("answers 403 first to who may not write at all", async () => {
    const nobody = await tenant.member("member", { grants: [] });
    await prove("no permission before no licence 403", gated(), async (operation) => {
      const sent = isCalled(operation) ? await world.prepared(operation, tenantOf(operation)) : {};
      return refusalOf(await world.call(operation, keyOf(nobody, tenant), sent), 403, "forbidden");
    });
  });

  it("reads licensed modules all the same", async () => {
    await prove("licensed reads without licence", licensedReads(), stopped);
  });

  it("writes all the same if no licence is needed", async () => {
    await prove("unlicensed modules are written without licence", free(), stopped);
  });

  it("writes again from the next request once a licence lists the module, and not with one that has expired", async () => {
    const modules = [...new Set(gated().map(({ licence }) => licence as string))];
    const list =
      "insert into product_licences (module, expires_at, grace_days) select unnest($1::text[]), now() + $2::interval, 3";
    await world.service.sql.query(list, [modules, "-4 days"]);
    await installedDaysAgo(0);
    await prove("a licence past its grace days 402, trial or not", gated(), async (operation) =>
      refusalOf(
        isCalled(operation) ? await call(operation) : await world.call(operation, await world.lastingOwner(operation, tenant)),
        402,
        "license_expired",
      ),
    );
    await world.service.sql.query("delete from product_licences");
    await installedDaysAgo(15);
    await world.service.sql.query(list, [modules, "-2 days"]);
    // Mail goes to the operator's relay again: the one set up above does not exist.
    await world.service.sql.query("delete from email_settings where organisation_id = $1", [tenant.organisation.id]);
    await prove("a licence within its grace days lets write", gated(), stopped);
  });
});
