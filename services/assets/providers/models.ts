import { column, tenantModel } from "../../../core/database/model.ts";
import type { ProviderKind } from "./provider-schemas.ts";

const { boolean, integer, json, text } = column;

/** An external service that an organisation works with (assets §1). */
export const Provider = tenantModel("providers", {
  kind: text<ProviderKind>(),
  name: text(),
  config: json().withDefault(),
  active: boolean().withDefault(),
  position: integer().withDefault(),
});
