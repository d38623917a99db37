import { CLEARING_TIMEOUT, clearOldEverywhere } from "../../../core/clearing/clear.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { action } from "../../../core/declare/action.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { grantCookie, setGrantCookie } from "../../../core/http/session-cookie.ts";
import { request } from "../../../core/request/context.ts";
import { line } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { endedGrants } from "../upkeep.due.ts";
import { endImpersonation, startImpersonation } from "./impersonation.ts";
import { disableLogin, enableLogin, resendInvite } from "./portal-access.ts";
import { type Login, lockLogin, readLogin, writtenLogin } from "./portal-login.ts";
import { PortalImpersonateRequest, PortalImpersonateResponse, PortalLoginState } from "./portal-schemas.ts";

const path = { entity_type: line({ description: "`contact`: only contacts have logins" }) };

export default service("portal", {
  actions: {
    get: action({
      rest: "GET /portal/logins/:entity_type/:subject_id",
      summary: "Whether a contact can sign in",
      permission: "members.member.write",
      path,
      returns: PortalLoginState,
      handler: ({ params }) => readLogin(params.entity_type, params.subject_id),
    }),

    enable: action({
      rest: "POST /portal/logins/:entity_type/:subject_id",
      verb: "enable",
      summary: "Invite a contact to sign in, or enable a disabled login again",
      description:
        "The login sees the clients linked to its contact. It is valid even if the mail fails; its link works for seven days.",
      permission: "members.member.write",
      licence: "portal",
      path,
      returns: PortalLoginState,
      status: 200,
      conditional: true,
      errors: ["conflict errors.portal_email_in_use"],
      async handler({ params }) {
        const contact = await lockLogin(params.entity_type, params.subject_id);
        return writtenLogin(contact.id, await enableLogin(contact));
      },
    }),

    disable: action({
      rest: "DELETE /portal/logins/:entity_type/:subject_id",
      summary: "Disable the login of a contact",
      description: "Its sessions end. Account, membership and history stay, and come back when it is enabled again.",
      permission: "members.member.write",
      licence: "portal",
      path,
      returns: PortalLoginState,
      errors: ["cannot_deactivate_self", "last_role_manager"],
      async handler({ params }) {
        const contact = await lockLogin(params.entity_type, params.subject_id);
        await disableLogin(contact);
        return writtenLogin(contact.id);
      },
    }),

    resend: action({
      rest: "POST /portal/logins/:entity_type/:subject_id/resend",
      summary: "Send a new invite; the old link stops working at once",
      permission: "members.member.write",
      licence: "portal",
      path,
      returns: PortalLoginState,
      status: 200,
      async handler({ params }) {
        const contact = await lockLogin(params.entity_type, params.subject_id);
        await resendInvite(contact);
        return writtenLogin(contact.id, true);
      },
    }),

    impersonate: action({
      rest: "POST /portal/logins/:entity_type/:subject_id/impersonate",
      summary: "Act in the login of a contact for a limited time",
      description:
        "Only within the session that started it, the cookie turns requests into the client's: with the permissions that both have, on records that both see. Every change records who acted.",
      permission: "portal.login.impersonate",
      sessionOnly: true,
      path,
      body: PortalImpersonateRequest,
      returns: PortalImpersonateResponse,
      status: 200,
      oneTime: true,
      errors: ["forbidden errors.impersonation_escalation", "conflict errors.impersonation_nested"],
      async handler({ params }) {
        const contact = await lockLogin(params.entity_type, params.subject_id);
        const { token, expiresAt, seconds } = await startImpersonation(contact, params.body.minutes ?? 30);
        request().headers["Set-Cookie"] = setGrantCookie(token, seconds);
        const { email, full_name } = contact as Login;
        return {
          cookie: grantCookie(runtime().scheme),
          expires_at: expiresAt,
          target_email: email,
          target_name: full_name,
          token,
        };
      },
    }),

    stop: openAction({
      rest: "POST /portal/impersonation/stop",
      summary: "Stop acting in the login of a contact",
      open: "leaving a borrowed session must always work",
      asImpersonator: true,
      async handler({ meta: { principal } }) {
        if (principal?.credential.kind !== "session" || !principal.accountId) return;
        await endImpersonation(principal.accountId, principal.credential.id);
        request().headers["Set-Cookie"] = setGrantCookie("", 0);
      },
    }),
  },
  jobs: {
    "portal.clear": {
      about: "Removes grants that ended a day ago",
      per: "installation",
      schedule: "55 2 * * *",
      timeout: CLEARING_TIMEOUT,
      handler: (run) => clearOldEverywhere(run, endedGrants),
    },
  },
});
