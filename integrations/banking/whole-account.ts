/** Why the generic test of selections does not apply here. */
export const WHOLE_ACCOUNT =
  "a bank account has the payments of every client, so a restricted caller is refused (banking §5); test/api/banking/access.test.ts shows it";
