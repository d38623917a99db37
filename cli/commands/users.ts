import { randomHex } from "../../core/security/crypto.ts";
import { createUser, deactivateMember, listMembers, mailNewPassword, setPassword } from "../../operator/accounts.ts";
import { atOnce } from "../at-once.ts";
import { type Call, type Command, columns, type Option, ORG, readSecret } from "../command.ts";

const EMAIL = { name: "email", about: "The person's e-mail address" };
const PASSWORD_STDIN: Option = { about: "Read the password from standard input instead of generating one" };

const generate = () => randomHex(9);
const chosenPassword = (call: Call) => (call.flag("password-stdin") ? readSecret(call.stdin) : undefined);
const shown = (password: string) => `  password  ${password}   (shown once)`;

export const userCommands: readonly Command[] = [
  {
    name: "user create",
    about: "Add a member to an organisation, and create the account if the address has none",
    arguments: [EMAIL],
    options: {
      org: ORG,
      role: { value: "ROLE", about: "System role: owner, admin, member (default) or client" },
      name: { value: "NAME", about: "Full name" },
      superuser: { about: "Also make the account an instance administrator" },
      "password-stdin": PASSWORD_STDIN,
    },
    details: [
      "The password is generated and printed once, unless you pass it on standard input. An existing account keeps its own.",
    ],
    async run(call) {
      const organisation = await call.organisation();
      const role = call.text("role") ?? "member";
      const made = await createUser(call.client, organisation.id, {
        email: call.need("email"),
        fullName: call.text("name")?.trim() || null,
        role,
        superuser: call.flag("superuser"),
        chosen: await chosenPassword(call),
        generate,
      });
      const { accountId, membershipId, email, password, existing } = made;
      return {
        json: {
          account_id: accountId,
          membership_id: membershipId,
          email,
          organisation: organisation.slug,
          role,
          is_superuser: call.flag("superuser"),
          existing_account: existing,
          password,
        },
        text: [
          `${email} is ${role} of ${organisation.slug}: account ${accountId}, membership ${membershipId}.`,
          ...(password === null ? [] : [shown(password)]),
        ],
      };
    },
  },
  {
    name: "user list",
    about: "List the members of an organisation",
    options: { org: ORG },
    async run(call) {
      const members = await listMembers(call.client, (await call.organisation()).id);
      return {
        json: members,
        text: columns(
          members.map((member) => [
            member.email,
            member.account_id,
            member.roles.join(","),
            member.is_active ? "active" : "inactive",
            member.is_superuser ? "superuser" : "",
            member.full_name ?? "",
          ]),
        ),
      };
    },
  },
  {
    name: "user password",
    about: "Set a new password for an account; this ends all its sessions and mails its owner",
    arguments: [EMAIL],
    options: { "password-stdin": PASSWORD_STDIN },
    ownTransactions: true,
    async run(call) {
      const chosen = await chosenPassword(call);
      const password = chosen ?? generate();
      const { accountId } = await atOnce(call.client, () => setPassword(call.client, call.need("email"), password));
      await call.withPool(() => mailNewPassword(call.client, accountId));
      return {
        json: { account_id: accountId, password: chosen === undefined ? password : null },
        text: [`The password of account ${accountId} is changed.`, ...(chosen === undefined ? [shown(password)] : [])],
      };
    },
  },
  {
    name: "user deactivate",
    about: "Deactivate a member of an organisation; name and work stay",
    arguments: [EMAIL],
    options: { org: ORG },
    async run(call) {
      const organisation = await call.organisation();
      const { accountId, membershipId, changed } = await deactivateMember(call.client, organisation.id, call.need("email"));
      return {
        json: { account_id: accountId, membership_id: membershipId, organisation: organisation.slug, changed },
        text: [`Membership ${membershipId} of ${organisation.slug} ${changed ? "is deactivated" : "was deactivated already"}.`],
      };
    },
  },
];
