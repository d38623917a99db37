import { runtime } from "../../core/config/runtime.ts";
import type { InstanceCaller } from "../../core/declare/instance.ts";
import { forbidden, notFound } from "../../core/errors/errors.ts";
import { service } from "../../mixins/resource.ts";
import { instanceAction } from "./action.ts";
import { issueInstanceKey, listInstanceKeys, revokeInstanceKey } from "./keys.ts";
import { KeyCreate, KeyCreated, KeyList } from "./schemas/keys.ts";

/** Whose keys a caller sees and revokes: its own, or with the capability for administrators those of all. A limited key sees none but its owner's. */
const reachOf = ({ administrator, capabilities, organisations }: InstanceCaller): string | null =>
  capabilities.includes("administrators") && organisations === null ? null : administrator.id;

/** Keys of instance administrators, for scripts that provision organisations. */
export default service("instance.keys", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/keys",
      summary: "List your keys, or with the capability `administrators` those of all",
      needs: "administrator",
      returns: KeyList,
      handler: ({ client, caller }) => listInstanceKeys(client, reachOf(caller)),
    }),

    create: instanceAction({
      rest: "POST /instance/keys",
      summary: "Issue a key for scripts; its value is shown once",
      description: "It allows what both the key and its administrator have at the time of a call. A key cannot issue keys.",
      needs: "administrator",
      act: "key.issued",
      body: KeyCreate,
      returns: KeyCreated,
      status: 201,
      oneTime: true,
      errors: ["instance_refused"],
      async handler({ client, caller, params: { body }, note }) {
        const { name, capabilities, organisations = null, expires_at: expiresAt = null } = body;
        if (caller.credential.kind !== "session") throw forbidden();
        if (capabilities.some((one) => !caller.capabilities.includes(one))) throw forbidden();
        const { key, value } = await issueInstanceKey(client, caller, runtime().config.keyPrefix, {
          name,
          capabilities,
          organisations,
          expiresAt,
        });
        note({ detail: { key: key.id, name, capabilities, organisations, expires_at: expiresAt } });
        return { ...key, value };
      },
    }),

    revoke: instanceAction({
      rest: "DELETE /instance/keys/:instance_key_id",
      summary: "Revoke a key, from the next call on",
      needs: "administrator",
      act: "key.revoked",
      returns: null,
      errors: ["not_found"],
      async handler({ client, caller, params: { instance_key_id: id }, note }) {
        const key = await revokeInstanceKey(client, id, reachOf(caller));
        if (!key) throw notFound();
        note({ detail: { key: id, name: key.name } });
        return undefined;
      },
    }),
  },
});
