/** `ad-groups`, `ad_groups` and `ad.groups` become `adGroups`. */
export const camel = (text: string) => text.replace(/[^a-zA-Z0-9]+(.)?/g, (_, next?: string) => next?.toUpperCase() ?? "");
/** `companies.groups.list` becomes `CompaniesGroupsList`. */
export const pascal = (text: string) => camel(text).replace(/^./, (first) => first.toUpperCase());
/** `adGroups` becomes `ad_groups`. */
export const snake = (text: string) => camel(text).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
