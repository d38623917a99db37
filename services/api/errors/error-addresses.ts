/** Address of the index of errors; each error's page is below it. */
export const ERROR_PAGES = "/api/docs/errors";

/**
 * The name of the one page of a code or a key: `errors.edge_no_account` is at `edge_no_account`, and so is a key with a detail after a colon.
 */
export const pageName = (name: string): string => name.replace(/^errors\./, "").replace(/:.*/, "");

/** Address of the page of a code or a key. */
export const errorAddress = (name: string): string => `${ERROR_PAGES}/${pageName(name)}`;
