import { runtime } from "../../../core/config/runtime.ts";
import { action } from "../../../core/declare/action.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { setSessionCookie } from "../../../core/http/session-cookie.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { presented } from "../../../core/schema/schema.ts";
import { hashPassword } from "../../../core/security/crypto.ts";
import { newPin } from "../../../core/security/pin.ts";
import { service } from "../../../mixins/resource.ts";
import { issue, openLink, revoke, status } from "./grants.ts";
import { ServiceAccessIssued, ServiceAccessStatus } from "./schemas.ts";

const permission = "settings.service_access.manage";

/** @throws 404 on a self-hosted deployment, whose operator is the organisation itself (access §10) */
function requireHosted(): void {
  if (runtime().config.posture !== "hosted") throw notFound();
}

interface Issuing {
  pinHash: string;
  shown: string;
}

export default service("service-access", {
  actions: {
    get: action({
      rest: "GET /settings/service-access",
      summary: "Read whether the operator has access to the organisation's data, and until when",
      permission,
      returns: ServiceAccessStatus,
      errors: ["not_found"],
      handler() {
        requireHosted();
        return status();
      },
    }),

    issue: action({
      rest: "POST /settings/service-access",
      verb: "issue",
      summary: "Give the operator access to the organisation's data: issue a PIN",
      description:
        "Valid for a day; ends the previous PIN. The operator who enters it has the permissions of the administrator role, except for what would outlast the grant: roles, members, service accounts, keys, portal logins, single sign-on, outgoing mail, webhooks and service access itself.",
      permission,
      returns: ServiceAccessIssued,
      oneTime: true,
      errors: ["not_found"],
      // Computes the slow hash before a connection is taken.
      async prepare(): Promise<Issuing> {
        requireHosted();
        const { pin, shown } = newPin();
        return { pinHash: await hashPassword(pin), shown };
      },
      async handler() {
        const { pinHash, shown } = prepared<Issuing>();
        await issue(pinHash);
        return { ...(await status()), pin: shown };
      },
    }),

    revoke: action({
      rest: "DELETE /settings/service-access",
      summary: "End service access; this signs out a claimed operator at once",
      permission,
      returns: ServiceAccessStatus,
      errors: ["not_found"],
      async handler() {
        requireHosted();
        await revoke();
        return status();
      },
    }),

    open: openAction({
      rest: "GET /auth/service-access/:token",
      verb: "open",
      summary: "Sign the operator in with the link printed when a PIN is claimed",
      description: "Works once, within an hour of the claim. Leads to the start page, or to the sign-in page with an error.",
      open: "the link proves knowledge of the organisation's PIN",
      needs: "nothing",
      path: { token: presented(200) },
      returns: null,
      status: 302,
      writes: true,
      async handler(ctx) {
        const opened = await openLink(ctx.params.token);
        const { headers } = request();
        headers["Location"] = opened ? "/" : "/login?error=service_access";
        headers["Cache-Control"] = "no-store";
        headers["Referrer-Policy"] = "no-referrer";
        if (opened) headers["Set-Cookie"] = setSessionCookie(opened.cookie, opened.seconds);
      },
    }),
  },
});
