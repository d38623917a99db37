/** The part of s3rver the tests use; the package brings no types. */
declare module "s3rver" {
  import type { AddressInfo } from "node:net";

  interface Options {
    port: number;
    address: string;
    silent: boolean;
    /** Where the buckets are kept. */
    directory: string;
    configureBuckets: { name: string }[];
  }

  export default class S3rver {
    constructor(options: Options);
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
