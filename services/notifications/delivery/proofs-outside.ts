import { createECDH } from "node:crypto";
import type { ModuleProofs, Place, ProofTools } from "../../../test/support/fixture/proofs.ts";

/** A browser's secret: 16 octets (RFC 8291 §3.2). */
const AUTH = "8eDyX_uCN0XRhSbY5hs7Hg";

type OutsideProofs = ModuleProofs & { channel(place: Place, user_id?: string): Promise<string> };

/** Fixtures for channels and push. Only tests load them. */
export const outsideProofs = ({ idOf, next }: ProofTools): OutsideProofs => {
  const endpoint = () => `https://8.8.8.8/push/${next()}`;
  const channel: OutsideProofs["channel"] = async ({ tenant, token }, user_id) => {
    const values = { kind: "webhook", name: token, url: `https://8.8.8.8/hook/${next()}`, ...(user_id && { user_id }) };
    return idOf(await tenant.owner.post("/notifications/channels", values));
  };
  const publicKey = () => createECDH("prime256v1").generateKeys("base64url");
  const device = async ({ tenant, token }: Place): Promise<string> => {
    const values = { endpoint: endpoint(), p256dh: publicKey(), auth: AUTH, user_agent: token };
    return idOf(await tenant.owner.post("/notifications/push/subscriptions", values));
  };
  return {
    channel,
    makers: {
      channel_id: { ofCompany: false, make: (place) => channel(place, place.tenant.owner.accountId) },
      "/notifications/push subscription_id": { ofCompany: false, make: device },
    },
    values: {
      "/notifications/channels kind": () => "webhook",
      "/notifications/channels url": () => `https://8.8.8.8/hook/${next()}`,
      "/notifications/push endpoint": endpoint,
      "/notifications/push p256dh": publicKey,
      "/notifications/push auth": () => AUTH,
    },
    personal: {
      "DELETE /notifications/push/subscriptions/{subscription_id}": "a browser is its person's own (platform chapter §5.7)",
    },
  };
};
