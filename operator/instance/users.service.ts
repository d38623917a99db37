import { runtime } from "../../core/config/runtime.ts";
import { randomHex } from "../../core/security/crypto.ts";
import { service } from "../../mixins/resource.ts";
import { createUser, deactivateMember, listMembers, mailNewPassword, setPassword } from "../accounts.ts";
import { issueKey } from "../keys.ts";
import { asOwner } from "../owner.ts";
import { instanceAction, requireUnlimited } from "./action.ts";
import { organisationOfCall } from "./found.ts";
import {
  AccountEmail,
  MemberDeactivated,
  MemberList,
  NewPassword,
  OrganisationKeyCreate,
  OrganisationKeyCreated,
  UserCreate,
  UserCreated,
} from "./schemas/users.ts";

const needs = "users";
const generate = () => randomHex(9);

/** Members and keys of organisations: whoever has this capability can let people and programs into any of them. */
export default service("instance.users", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/organisations/:organisation_id/users",
      summary: "List the members of an organisation, with deactivated ones",
      needs,
      returns: MemberList,
      errors: ["not_found"],
      async handler({ client, caller, params }) {
        return listMembers(client, (await organisationOfCall(client, caller, params.organisation_id)).id);
      },
    }),

    create: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/users",
      summary: "Add a member to an organisation",
      description:
        "It creates the account if the address has none, and then answers its password, once. An existing account keeps its own.",
      needs,
      act: "user.created",
      body: UserCreate,
      returns: UserCreated,
      status: 201,
      oneTime: true,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const { email: given, full_name: fullName = null, role = "member" } = body;
        const made = await createUser(client, id, {
          email: given,
          fullName,
          role,
          superuser: false,
          chosen: undefined,
          generate,
        });
        const { accountId, membershipId, email, password, existing } = made;
        note({ organisation, detail: { email, role } });
        return { account_id: accountId, membership_id: membershipId, email, role, existing_account: existing, password };
      },
    }),

    deactivate: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/users/deactivate",
      summary: "Deactivate a member of an organisation; name and work stay",
      needs,
      act: "user.deactivated",
      body: AccountEmail,
      returns: MemberDeactivated,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const { accountId, membershipId, changed } = await deactivateMember(client, id, body.email);
        note({ organisation, detail: { email: body.email, changed } });
        return { account_id: accountId, membership_id: membershipId, changed };
      },
    }),

    password: instanceAction({
      rest: "POST /instance/users/password",
      summary: "Set a new password for an account",
      description:
        "It ends all sessions of the account in every organisation, and mails its owner. The answer has the password, once.",
      needs,
      act: "user.password_set",
      body: AccountEmail,
      returns: NewPassword,
      status: 200,
      oneTime: true,
      errors: ["instance_refused"],
      async handler({ client, caller, params: { body }, note, afterCommit }) {
        requireUnlimited(caller);
        const password = generate();
        const { accountId } = await setPassword(client, body.email, password);
        note({ detail: { email: body.email } });
        return afterCommit(async () => {
          await asOwner((own) => mailNewPassword(own, accountId));
          return { account_id: accountId, password };
        });
      },
    }),

    key: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/keys",
      summary: "Issue an API key of an organisation to a service account",
      description: "The service account is created if the name is new. The answer has the value of the key, once.",
      needs,
      act: "organisation.key_issued",
      body: OrganisationKeyCreate,
      returns: OrganisationKeyCreated,
      status: 201,
      oneTime: true,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const { service_account: serviceAccount, name = serviceAccount, scopes, expires_at: expiresAt = null } = body;
        const owner = { serviceAccount };
        const key = await issueKey(client, id, runtime().config.keyPrefix, { owner, name, scopes, expiresAt });
        note({ organisation, detail: { key: key.id, name, scopes: key.scopes, expires_at: expiresAt } });
        return {
          id: key.id,
          value: key.value,
          name,
          service_account_id: key.principal.id,
          scopes: key.scopes,
          expires_at: expiresAt,
        };
      },
    }),
  },
});
