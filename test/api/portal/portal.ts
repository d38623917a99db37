import { hashPassword } from "../../../core/security/crypto.ts";
import type { Answer, Call } from "../../support/http.ts";
import { send } from "../../support/http.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { cookieIn, postLogin, signIn } from "../../support/sign-in.ts";

export const PASSWORD = "correct horse battery";
let counter = 0;
export const freshAddress = () => `client${++counter}.${process.pid}@example.com`;

/** A contact as the tests use it. */
export interface TestContact {
  id: string;
  email: string;
  path: string;
}

/** A contact of these companies with an address of its own. */
export async function makeContact(tenant: Tenant, companyIds: readonly string[], email = freshAddress()): Promise<TestContact> {
  const { status, body, text } = await tenant.owner.post("/contacts", {
    first_name: "Carla",
    last_name: "Klant",
    email,
    company_ids: companyIds,
  });
  if (status !== 201) throw new Error(`no contact: ${status} ${text}`);
  return { id: body.id, email, path: `/portal/logins/contact/${body.id}` };
}

let hash: string | undefined;
/** The same with an enabled login whose password was chosen, as by the link that is mailed, and its account. */
export async function makeLogin(
  service: TestService,
  tenant: Tenant,
  companyIds: readonly string[],
): Promise<TestContact & { accountId: string }> {
  const contact = await makeContact(tenant, companyIds);
  const enabled = await tenant.owner.post(contact.path);
  if (enabled.status !== 200) throw new Error(`no login: ${enabled.status} ${enabled.text}`);
  hash ??= await hashPassword(PASSWORD);
  const { rows } = await service.sql.query(
    "update accounts set password_hash = $2, is_verified = true where email = $1 returning id",
    [contact.email, hash],
  );
  return { ...contact, accountId: rows[0].id };
}

type Verb = (path: string, body?: unknown, call?: Call) => Promise<Answer>;
export type Browser = Record<"get" | "post" | "put" | "patch" | "delete", Verb> & { cookie: string };

/** Calls with these cookies, as a browser would send them. */
export function browser(service: TestService, host: string, cookie: string): Browser {
  const as =
    (method: string): Verb =>
    (path, body, call) =>
      send(service.port, method, path, { host, cookie, body, ...call });
  return { cookie, get: as("GET"), post: as("POST"), put: as("PUT"), patch: as("PATCH"), delete: as("DELETE") };
}

export const signedIn = async (service: TestService, { host }: Tenant, email: string): Promise<Browser> =>
  browser(service, host, await signIn(service.port, host, email, PASSWORD));

export const signInStatus = async (service: TestService, host: string, email: string): Promise<number> =>
  (await postLogin(service.port, host, { username: email, password: PASSWORD })).status;

/** A member of the staff who looks into the login of a contact. */
export async function lookInto(
  service: TestService,
  tenant: Tenant,
  person: Pick<Caller, "email">,
  contact: TestContact,
  minutes?: number,
): Promise<{ own: Browser; as: Browser; grant: string; answer: Answer }> {
  const own = await signedIn(service, tenant, person.email);
  const answer = await own.post(`${contact.path}/impersonate`, minutes === undefined ? {} : { minutes });
  if (answer.status !== 200) throw new Error(`not looked into: ${answer.status} ${answer.text}`);
  const grant = cookieIn(answer);
  return { own, as: browser(service, tenant.host, `${own.cookie}; ${grant}`), grant, answer };
}
