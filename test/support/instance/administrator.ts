import type { Capability } from "../../../core/declare/instance.ts";
import { addAdministrator } from "../../../operator/instance/administrators.ts";
import { type Answer, type Call, send } from "../http.ts";
import type { TestService } from "../service.ts";
import { cookieIn } from "../sign-in.ts";
import { totp } from "../totp.ts";

/** The host of the instance administrators of a test's service. */
export const ADMIN_HOST = "admin.kantoor.test";
/** The password that administrators of tests choose. */
export const CHOSEN = "chosen by the administrator";

/** Calls on the administrators' host with a session or a key. */
export interface InstanceClient {
  get(path: string, call?: Call): Promise<Answer>;
  post(path: string, body?: unknown, call?: Call): Promise<Answer>;
  put(path: string, body?: unknown, call?: Call): Promise<Answer>;
  patch(path: string, body?: unknown, call?: Call): Promise<Answer>;
  delete(path: string, call?: Call): Promise<Answer>;
}

export interface SignedInAdministrator extends InstanceClient {
  id: string;
  email: string;
  cookie: string;
  /** The secret of the authenticator app. */
  secret: string;
}

/** Calls with a credential. */
export function instanceClient(port: number, credential: Pick<Call, "cookie" | "key">): InstanceClient {
  const as = (method: string) => (path: string, body?: unknown, call?: Call) =>
    send(port, method, path, { host: ADMIN_HOST, ...credential, ...(body !== undefined && { body }), ...call });
  return {
    get: (path, call) => as("GET")(path, undefined, call),
    post: as("POST"),
    put: as("PUT"),
    patch: as("PATCH"),
    delete: (path, call) => as("DELETE")(path, undefined, call),
  };
}

let counter = 0;

/** Adds an administrator, as the command line does, with the password of the first sign-in. */
export async function invited(
  { sql }: Pick<TestService, "sql">,
  capabilities: readonly Capability[],
): Promise<{ id: string; email: string; password: string }> {
  const email = `admin${++counter}-${process.pid}@operator.test`;
  return addAdministrator(sql, { email, fullName: null, capabilities });
}

/** Signs in for the first time: another password, and the second factor. */
export async function firstSignIn(
  { port }: Pick<TestService, "port">,
  { id, email, password }: { id: string; email: string; password: string },
): Promise<SignedInAdministrator> {
  const anonymous = instanceClient(port, {});
  const begun = await anonymous.post("/instance/auth/login", { email, password });
  if (begun.status !== 200) throw new Error(`not begun: ${begun.status} ${begun.text}`);
  const { challenge_token: token, enrolment } = begun.body;
  const { secret } = enrolment;
  const done = await anonymous.post("/instance/auth/verify", {
    challenge_token: token,
    code: totp(secret),
    new_password: CHOSEN,
  });
  if (done.status !== 204) throw new Error(`not signed in: ${done.status} ${done.text}`);
  const cookie = cookieIn(done);
  return { id, email, cookie, secret, ...instanceClient(port, { cookie }) };
}

/** A signed-in administrator with these capabilities. */
export const administrator = async (
  service: Pick<TestService, "sql" | "port">,
  capabilities: readonly Capability[],
): Promise<SignedInAdministrator> => firstSignIn(service, await invited(service, capabilities));
