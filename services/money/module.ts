import { subscriptions } from "./agreements/manifest.ts";
import { invoicing } from "./documents/manifest.ts";
import { dunning } from "./dunning/manifest.ts";

declare module "../../core/custom-fields/values.ts" {
  interface CustomRecords {
    invoice: true;
    quote: true;
    subscription: true;
  }
}

export default [invoicing, subscriptions, dunning];
