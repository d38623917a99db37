declare module "../../../core/declare/effects.ts" {
  interface EffectPayloads {
    /** What a domain is at the edge has changed, or was seen to be otherwise, and its record is to say so (assets §8.2, §8.3). */
    "edge.domain_follows": {
      domain_id: string;
      status: "redirect" | "active";
      redirect_url: string | null;
      /** The record changes only while it says exactly this; null: whatever it says. */
      only_from: { status: string; redirect_url: string | null } | null;
    };
  }
}

export {};
