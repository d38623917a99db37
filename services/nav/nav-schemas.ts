import { answer, flag, input, label, list, names, nullable, optional, Type } from "../../core/declare/schema.ts";

/** Most entries of a list. */
const MOST = 100;
const many = { maxItems: MOST };
const translated = () => nullable(names());

/** An entry as it is sent: what it is about, whether it is hidden, and a name of its own by locale. */
const NavPrefItem = Type.Object(
  { key: label(100), hidden: optional(flag(false)), label: optional(translated()) },
  { $id: "NavPrefItem", "x-usage": "both" },
);
const NavGroupPref = Type.Object({ key: label(100), label: optional(translated()) }, { $id: "NavGroupPref", "x-usage": "both" });

export const NavPrefs = answer("NavPrefs", {
  items: nullable(list(NavPrefItem)),
  groups: nullable(list(NavGroupPref)),
  source: Type.String({ description: "`user` for one's own, `default` for the organisation's, `none` where there is neither." }),
});
export const NavPrefsUpdate = input("NavPrefsUpdate", {
  items: Type.Array(NavPrefItem, many),
  groups: optional(Type.Array(NavGroupPref, { ...many, default: [] })),
});
