/** SQL: whether the layout in settings `s` hides the source of link `l` from callers who manage no links (marketing-ads §2.5). */
export const HIDDEN = "s.layout -> 'sources' -> l.source ->> 'hidden' = 'true'";
