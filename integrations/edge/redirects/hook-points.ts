declare module "../../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** A domain's state at the edge changed, or was observed to differ; the domain's record follows it (assets §8.2, §8.3). */
    "edge.domain_follows": {
      domain_id: string;
      status: "redirect" | "active";
      redirect_url: string | null;
      /** Update the record only while it has exactly these values; null: always. */
      only_from: { status: string; redirect_url: string | null } | null;
    };
  }
}

export {};
