import { type Answer, type Call, send } from "./http.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Posts the sign-in form like a browser. */
export function postLogin(
  port: number,
  host: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(port, "POST", "/auth/login", {
    host,
    body: new URLSearchParams(form).toString(),
    headers: { ...FORM, ...headers },
  });
}

/** A response's cookie as a browser sends it back: `name=value`. */
export const cookieIn = ({ headers }: Answer): string => (headers["set-cookie"]?.[0] ?? "").split(";")[0] as string;

/** Signs in over the API. @throws Error unless the status is 204 */
export async function signIn(port: number, host: string, email: string, password: string): Promise<string> {
  const answer = await postLogin(port, host, { username: email, password });
  if (answer.status !== 204) throw new Error(`not signed in: ${answer.status} ${answer.text}`);
  return cookieIn(answer);
}

/** Calls with a session cookie on one host. */
export const inSession = (port: number, host: string, cookie: string) => ({
  get: (path: string, call?: Call) => send(port, "GET", path, { host, cookie, ...call }),
  post: (path: string, body?: unknown, call?: Call) => send(port, "POST", path, { host, cookie, body, ...call }),
  patch: (path: string, body?: unknown, call?: Call) => send(port, "PATCH", path, { host, cookie, body, ...call }),
});
