import tls from "node:tls";
import { certificate } from "../certificate.ts";
import { type Answer, send } from "../http.ts";
import type { Tenant, TestService } from "../service.ts";
import { startProvider, type TestProvider, type Visitor } from "./provider.ts";

const known = tls.getCACertificates("default");
const COOKIE = "kantoor_sign_on";

/** The steps of a sign-in at the provider. */
export interface SigningOn {
  provider: TestProvider;
  /** Settings that let an organisation sign in at the provider. */
  settings(values?: object): object;
  /** Applies and tests these settings for an organisation. */
  use(tenant: Tenant, values?: object): Promise<void>;
  begin(tenant: Pick<Tenant, "host">, next?: string): Promise<{ location: string; cookie: string; answer: Answer }>;
  /** The address to which the provider redirects the visitor. */
  back(location: string, visitor: Visitor): Promise<URL>;
  callback(tenant: Pick<Tenant, "host">, returned: URL, cookie?: string): Promise<Answer>;
  /** All steps of a sign-in. */
  signOn(tenant: Pick<Tenant, "host">, visitor: Visitor, next?: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** The value of a cookie in a response, as `name=value`; empty if it is deleted or not set. */
export function cookieOf({ headers }: Answer, name: string): string {
  const set = (headers["set-cookie"] ?? []).find((one) => one.startsWith(`${name}=`)) ?? "";
  return /Max-Age=0/.test(set) ? "" : (set.split(";")[0] as string);
}

/** The cookie of the session a response opens; empty if it opens none. */
export const sessionIn = (answer: Answer): string => cookieOf(answer, "kantoor_session");

/** Starts a provider whose certificate this process trusts until it is stopped. */
export async function startSigningOn(service: TestService): Promise<SigningOn> {
  const provider = await startProvider();
  tls.setDefaultCACertificates([...known, certificate]);
  const settings = (values: object = {}) => ({
    enabled: true,
    enforced: false,
    name: "Staff login",
    discovery_url: provider.discoveryUrl,
    ...provider.client,
    default_role: "member",
    ...values,
  });
  const call = (tenant: Pick<Tenant, "host">, path: string, cookie?: string) =>
    send(service.port, "GET", path, { host: tenant.host, ...(cookie && { cookie }) });
  const signing: SigningOn = {
    provider,
    settings,
    async use({ owner }, values = {}) {
      const expected = async (answer: Promise<Answer>) => {
        const { status, text } = await answer;
        if (status !== 200 || text.includes('"ok":false')) throw new Error(`no single sign-on: ${status} ${text}`);
      };
      await expected(owner.put("/settings/sso", settings({ ...values, enforced: false })));
      await expected(owner.post("/settings/sso/test"));
      if ((values as { enforced?: boolean }).enforced) await expected(owner.put("/settings/sso", settings(values)));
    },
    async begin(tenant, next) {
      const answer = await call(tenant, `/auth/oidc/login${next === undefined ? "" : `?${new URLSearchParams({ next })}`}`);
      return { location: answer.headers.location as string, cookie: cookieOf(answer, COOKIE), answer };
    },
    back(location, visitor) {
      provider.visitor = visitor;
      return provider.visit(location);
    },
    callback: (tenant, { search }, cookie) => call(tenant, `/auth/oidc/callback${search}`, cookie),
    async signOn(tenant, visitor, next) {
      const { location, cookie } = await signing.begin(tenant, next);
      return signing.callback(tenant, await signing.back(location, visitor), cookie);
    },
    async stop() {
      tls.setDefaultCACertificates(known);
      await provider.stop();
    },
  };
  return signing;
}

/** Removes a person's membership. */
export async function removeMember({ owner }: Pick<Tenant, "owner">, email: string): Promise<void> {
  const members = (await owner.get("/members")).body as { membership_id: string; email: string }[];
  const member = members.find((one) => one.email === email);
  const { status } = await owner.delete(`/members/${member?.membership_id}`);
  if (status !== 204) throw new Error(`the member was not removed: ${status}`);
}
