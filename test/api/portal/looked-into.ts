import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { makeLogin, PASSWORD, type TestContact } from "./portal.ts";

/** A contact with an enabled login. */
export type Login = TestContact & { accountId: string };

/** The setup of each test: an organisation with two clients, a login of the first, and an administrator who can act in it. */
interface Made {
  service: TestService;
  tenant: Tenant;
  admin: Caller;
  companyId: string;
  login: Login;
}

/** The identity of a session, as the service reports it. */
export const whoIs = async (session: { get: (path: string) => Promise<{ body: { id: string } }> }): Promise<string> =>
  (await session.get("/meta/me")).body.id;

/** Status, code and message of a refusal in one line. */
export const code = ({ status, body }: { status: number; body: { error?: { code: string; message: string } } }): string =>
  `${status} ${body?.error?.code} ${body?.error?.message}`;

/** Arranges the tests of a `describe`, and returns the calls to the organisation of the running test. @param take receives it before each test */
export function lookedInto(take: (made: Made) => void) {
  let [service, tenant] = [] as unknown as [TestService, Tenant];
  const sql = (text: string, ...values: unknown[]) => service.sql.query(text, values);
  const staff = (role: "owner" | "admin" | "member" = "admin", grants?: string[]) =>
    tenant.member(role, { password: PASSWORD, name: "Petra Personeel", ...(grants && { grants }) });
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    const companyId = (await tenant.company({ name: "Their own" })).id;
    await tenant.company({ name: "Another client" });
    const login = await makeLogin(service, tenant, [companyId]);
    take({ service, tenant, admin: await staff(), companyId, login });
  });
  const trail = `select action, actor_name, impersonator_name, payload from activity
    where entity_id = $1 and action like 'portal_imp%' order by created_at, id`;
  const audit = `select action, actor_id, target_account_id from access_audit
    where organisation_id = $1 and action like 'impersonation%' order by created_at, id`;
  return {
    sql,
    staff,
    trailOf: async (id: string) => (await sql(trail, id)).rows,
    audited: async () => (await sql(audit, tenant.organisation.id)).rows,
    /** The new permissions of this organisation's client role. */
    clientsMay: (...grants: string[]) =>
      sql("update roles set permissions = $2 where organisation_id = $1 and key = 'client'", tenant.organisation.id, grants),
  };
}
