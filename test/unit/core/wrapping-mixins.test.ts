import { expect } from "chai";
import { type Service, ServiceBroker, type ServiceSchema } from "moleculer";
import { type Action, action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import type { Meta, Organisation, Principal } from "../../../core/declare/principal.ts";
import type { ApiError } from "../../../core/errors/errors.ts";
import { requestStore } from "../../../core/request/context.ts";
import { SYSTEM } from "../../../core/request/system.ts";
import { licence } from "../../../mixins/licence.ts";
import { permission } from "../../../mixins/permission.ts";
import { requestMiddleware } from "../../../mixins/request/request.ts";
import { service } from "../../../mixins/resource.ts";
import { tenancy } from "../../../mixins/tenancy.ts";
import { wrapped } from "../../../mixins/wrappers.ts";

const organisation = { id: "1", slug: "one", enforcesSso: true } as Organisation;
const metaOf = (principal: Principal | null) => ({ organisation, principal, requestId: "r1" }) as Meta;
const unlicensed: Principal["licence"] = { ...SYSTEM.licence, plan: "none" };

let broker: ServiceBroker;
beforeEach(() => {
  broker = new ServiceBroker({ logger: false, internalMiddlewares: false, middlewares: [requestMiddleware()] });
});
afterEach(() => broker.stop());

const write: Action = {
  ...action({ rest: "POST /probe", summary: "Probe", permission: "time.entry.write", handler: () => "reached" }),
  localSignIn: true,
};
const made = (mixins: Partial<ServiceSchema>[], declared: Partial<Action> = write): Service =>
  broker.createService({ name: "probe", mixins, actions: { write: declared } } as unknown as ServiceSchema);

describe("a service", () => {
  const NEEDS = "probe.write needs the mixins tenancy, permission, licence, in this order; its service";

  it("does not start without all of tenancy, permission and licence, and the error names the missing ones", () => {
    expect(() => made([permission, licence])).to.throw(TypeError, `${NEEDS} does not name tenancy`);
    expect(() => made([tenancy, licence])).to.throw(TypeError, `${NEEDS} does not name permission`);
    expect(() => made([tenancy, permission])).to.throw(TypeError, `${NEEDS} does not name licence`);
    expect(() => made([])).to.throw(TypeError, `${NEEDS} does not name tenancy, permission, licence`);
  });

  it("does not start with them in another order, which would be the order of refusals, nor with one twice", () => {
    expect(() => made([tenancy, licence, permission])).to.throw(TypeError, `${NEEDS} names tenancy, licence, permission`);
    expect(() => made([permission, tenancy, licence])).to.throw(TypeError, `${NEEDS} names permission, tenancy, licence`);
    expect(() => made([tenancy, permission, permission, licence])).to.throw(
      TypeError,
      `${NEEDS} names tenancy, permission, permission, licence`,
    );
  });

  it("may name more, before or after them, or name them through a mixin of its own", () => {
    const other = { methods: {} };
    for (const mixins of [
      [tenancy, permission, licence],
      [other, tenancy, permission, other, licence, other],
      [{ mixins: [tenancy, permission, licence] }],
    ])
      expect(() => made(mixins)).to.not.throw();
  });

  it("needs none of them for actions without an organisation", () => {
    expect(() => made([], { ...write, untenanted: true })).to.not.throw();
  });
});

describe("service()", () => {
  it("names tenancy, permission and licence before the mixins of the service", () => {
    const own = { methods: {} };
    expect(service("probe", { mixins: [own], actions: { write } }).mixins).to.deep.equal([tenancy, permission, licence, own]);
  });

  it("leaves `this` of a handler to its service", async () => {
    const probe = service("probe", {
      created(this: Service & { word?: string }) {
        this.word = "said";
      },
      actions: {
        read: internal({
          summary: "Probe",
          permission: "companies.company.read",
          handler: function (this: Service & { word: string }) {
            return this.word;
          } as never,
        }),
      },
    });
    broker.createService(probe);
    await broker.start();
    expect(await broker.call("probe.read", {}, { meta: metaOf(SYSTEM) })).to.equal("said");
  });
});

describe("a wrapped action", () => {
  /** What happens for a caller, in order: the run begins, then the refusal or the handler's run. */
  const happening = async (principal: Principal | null): Promise<string[]> => {
    const happened: string[] = [];
    const serve = wrapped(made([tenancy, permission, licence]), (request) => request.run(), {
      name: "probe.write",
      action: write,
      standIns: [],
    });
    const meta = metaOf(principal);
    const request = {
      meta,
      begin: () => {
        happened.push("begun");
        return requestStore({ action: "probe.write", mode: "write", ...meta });
      },
      run: async () => happened.push("run"),
    };
    await serve(request).catch(({ code, type }: ApiError) => happened.push(`${code} ${type}`));
    return happened;
  };

  it("begins in its organisation, then asks for the sign-in, the permission and the licence, then runs", async () => {
    expect(await happening(null)).to.deep.equal(["begun", "401 unauthorized"]);
    expect(await happening({ ...SYSTEM, grants: [], licence: unlicensed })).to.deep.equal(["begun", "403 forbidden"]);
    expect(await happening({ ...SYSTEM, licence: unlicensed })).to.deep.equal(["begun", "402 plan_inactive"]);
    expect(await happening(SYSTEM)).to.deep.equal(["begun", "run"]);
  });

  it("refuses the local sign-in last", async () => {
    made([tenancy, permission, licence]);
    await broker.start();
    const refused = (principal: Principal) =>
      broker.call("probe.write", {}, { meta: metaOf(principal) }).catch(({ code, type }: ApiError) => `${code} ${type}`);
    expect(await refused({ ...SYSTEM, grants: [], licence: unlicensed })).to.equal("403 forbidden");
    expect(await refused({ ...SYSTEM, licence: unlicensed })).to.equal("402 plan_inactive");
  });
});
