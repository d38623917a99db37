import { expect } from "chai";
import type { Meta } from "../../../core/declare/principal.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { AccessWatch } from "../../../services/api/streams/access-watch.ts";
import type { StreamHolder } from "../../../services/api/streams/holder.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("the watch over callers of streams", function () {
  this.timeout(60_000);
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** A stream whose caller was found before access in its organisation last changed. */
  const holder = (renew: () => Promise<void>): StreamHolder => ({
    host: tenant.host,
    slug: tenant.organisation.slug,
    events: {},
    meta: { organisation: { ...tenant.organisation, revision: "of long ago" } } as unknown as Meta,
    expiresAt: null,
    renew,
  });

  it("ends a stream whose caller is refused, though those before it cannot be looked up", async () => {
    const trouble = Promise.withResolvers<unknown>();
    const watch = new AccessWatch(() => {}, trouble.resolve);
    const ended: string[] = [];
    const unknown = () => Promise.reject(new Error("not known"));
    const leave = Array.from({ length: 20 }, (_, n) => watch.add(holder(unknown), () => ended.push(`unknown ${n}`)));
    leave.push(
      watch.add(
        holder(() => Promise.reject(refusal("unauthorized"))),
        () => ended.push("refused"),
      ),
    );
    expect(await trouble.promise).to.have.property("message", "not known");
    for (const go of leave) go();
    expect(ended).to.deep.equal(["refused"]);
  });
});
