/** The part of s3rver the tests use; the package has no types. */
declare module "s3rver" {
  import type { AddressInfo } from "node:net";

  interface Options {
    port: number;
    address: string;
    silent: boolean;
    /** Folder of the buckets. */
    directory: string;
    configureBuckets: { name: string }[];
  }

  export default class S3rver {
    constructor(options: Options);
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
