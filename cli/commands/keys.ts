import { readMoment } from "../../operator/dates.ts";
import { issueKey, type KeyOwner, revokeKey } from "../../operator/keys.ts";
import { type Call, type Command, ORG, UsageError } from "../command.ts";

function ownerOf(call: Call): KeyOwner {
  const [user, serviceAccount] = [call.text("user"), call.text("service-account")];
  if (user !== undefined && serviceAccount === undefined) return { user };
  if (serviceAccount !== undefined && user === undefined) return { serviceAccount };
  throw new UsageError("A key has one owner: use --user EMAIL or --service-account NAME.");
}

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    about: "Issue an API key to a person or a service account; its value is shown once",
    options: {
      org: ORG,
      user: { value: "EMAIL", about: "A member; the key never exceeds that member's permissions" },
      "service-account": {
        value: "NAME",
        about: "A service account, created if the name is new; the key has exactly its scopes",
      },
      scopes: { value: "A,B|all", about: "Permissions of the key, or 'all' the owner can hold", required: true, multiple: true },
      name: { value: "NAME", about: "What the key is for; default 'Command line'" },
      expires: { value: "DATE", about: "Last day (UTC) or instant it works, at most a year ahead; never if omitted" },
    },
    async run(call) {
      const organisation = await call.organisation();
      const expires = call.text("expires");
      const key = await issueKey(call.client, organisation.id, call.config.keyPrefix, {
        owner: ownerOf(call),
        name: call.text("name") ?? "Command line",
        scopes: call.list("scopes"),
        expiresAt: expires === undefined ? null : readMoment(expires, "expires"),
      });
      const { id, value, name, scopes, expiresAt, principal } = key;
      return {
        json: {
          id,
          secret: value,
          name,
          organisation: organisation.slug,
          principal_type: principal.type,
          user_id: principal.type === "user" ? principal.id : null,
          service_account_id: principal.type === "service_account" ? principal.id : null,
          scopes,
          expires_at: expiresAt,
        },
        text: [`Key ${id} of ${principal.type.replace("_", " ")} ${principal.id}:`, `  ${value}   (shown once)`],
      };
    },
  },
  {
    name: "key revoke",
    about: "Revoke an API key and the keys it created, from the next request on",
    arguments: [{ name: "key", about: "Its id, its value or its first part" }],
    options: { org: ORG },
    async run(call) {
      const { id, revoked } = await revokeKey(call.client, (await call.organisation()).id, call.need("key"));
      const others = revoked.length - 1;
      return {
        json: { id, revoked, changed: revoked.length > 0 },
        text: [
          revoked.length === 0
            ? `Key ${id} was revoked already.`
            : `Key ${id} is revoked${others > 0 ? `, and ${others} that it had created` : ""}.`,
        ],
      };
    },
  },
];
