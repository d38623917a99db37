import { answer, field, flag, input, list, names, nonEmpty, nullable, optional, Type } from "../../core/schema/schema.ts";

/** Most entries of a list. */
const MOST = 100;
const many = { maxItems: MOST };
const translated = () => nullable(names());

/** An entry as sent: its key, whether it is hidden, and a custom name by locale. */
const NavPrefItem = Type.Object(
  {
    key: field(nonEmpty(100), "Key of the entry in the navigation; keys are not checked"),
    hidden: field(optional(flag(false)), "Whether it is left out"),
    label: field(
      optional(translated()),
      "Its own name by locale, `nl` and `en`, at most 60 characters; null without one. Only the organisation's default stores it",
    ),
  },
  { $id: "NavPrefItem", "x-usage": "both" },
);
const NavGroupPref = Type.Object(
  {
    key: field(nonEmpty(100), "Key of the group in the navigation"),
    label: field(optional(translated()), "Its own name by locale, `nl` and `en`, at most 60 characters; null without one"),
  },
  { $id: "NavGroupPref", "x-usage": "both" },
);

export const NavPrefs = answer("NavPrefs", {
  items: field(
    nullable(list(NavPrefItem)),
    "Entries in the order they are shown; entries that are not listed follow the application's own order. Null if there is neither an own nor a default order",
  ),
  groups: field(
    nullable(list(NavGroupPref)),
    "Groups with a name of their own, from the organisation's default; null if there is neither an own nor a default order",
  ),
  source: Type.String({
    description: "`user` for the caller's own, `default` for the organisation's, `none` if neither exists.",
  }),
});
export const NavPrefsUpdate = input("NavPrefsUpdate", {
  items: field(Type.Array(NavPrefItem, many), "Entries in display order; they replace the stored ones"),
  groups: field(
    optional(Type.Array(NavGroupPref, { ...many, default: [] })),
    "Groups with a name of their own; only the organisation's default stores them",
  ),
});
