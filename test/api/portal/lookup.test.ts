import { expect } from "chai";
import type { Answer } from "../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { makeLogin, signedIn } from "./portal.ts";

describe("GET /members/lookup?include_clients=true", () => {
  let service: TestService;
  let tenant: Tenant;
  let north: string;
  let logins: Record<"north" | "both" | "south" | "unlinked" | "direct", { accountId: string; email: string }>;
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    north = (await tenant.company()).id;
    const south = (await tenant.company()).id;
    logins = {
      north: await makeLogin(service, tenant, [north]),
      both: await makeLogin(service, tenant, [north, south]),
      south: await makeLogin(service, tenant, [south]),
      unlinked: await makeLogin(service, tenant, []),
      direct: await tenant.member("client"),
    };
  });

  /** The logins that a caller finds, by what they are. */
  const found = async (who: { get(path: string): Promise<Answer> }, query = ""): Promise<string[]> => {
    const { body } = await who.get(`/members/lookup?include_clients=true${query}`);
    const ids = new Set(body.map(({ user_id }: { user_id: string }) => user_id));
    return Object.entries(logins).flatMap(([name, { accountId }]) => (ids.has(accountId) ? [name] : []));
  };
  const restricted = async (role: "admin" | "member"): Promise<Caller> => {
    const person = await tenant.member(role);
    await tenant.group(`Of the ${role}`, [north], [person.membershipId]);
    return person;
  };

  it("has every login for a colleague who sees every client", async () => {
    expect(await found(await tenant.member("member"))).to.deep.equal(["north", "both", "south", "unlinked", "direct"]);
  });

  it("has no login of a contact that a restricted colleague does not see", async () => {
    const seen = ["north", "both", "unlinked", "direct"];
    expect(await found(await restricted("member"))).to.deep.equal(seen);
    expect(await found(await restricted("admin"), "&permission=companies.company.read")).to.deep.equal(seen);
  });

  it("has a client login itself and the logins of its own clients' contacts", async () => {
    expect(await found(await signedIn(service, tenant, logins.north.email))).to.deep.equal(["north", "both"]);
    expect(await found(await signedIn(service, tenant, logins.unlinked.email))).to.deep.equal(["unlinked"]);
    expect(await found(logins.direct as Caller)).to.deep.equal(["direct"]);
  });
});
