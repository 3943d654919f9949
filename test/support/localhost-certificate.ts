/**
 * Key and certificate of localhost, for servers of tests, until 2126; nothing trusts it unless a test asks. `openssl
 * req -x509 -newkey ec ...` made it.
 */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWVYYt17sGeI5FYZn
UDX9bJUKu/IExb3PuK/eevjqwQ2hRANCAATy6IxiQ65Ttu/yiJ36emwkuwUmr0QM
uHGF9E8LB+M/GNhtC8TcSGdUrzKhk3dE84M2ngnKtEvl4ULgWdvARppI
-----END PRIVATE KEY-----
`;

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUTgGYELBZl9vZjZs9l/u6oODoAKMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzAwMDM1NVoYDzIxMjYxMTAz
MDAwMzU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATy6IxiQ65Ttu/yiJ36emwkuwUmr0QMuHGF9E8LB+M/GNhtC8TcSGdU
rzKhk3dE84M2ngnKtEvl4ULgWdvARppIo28wbTAdBgNVHQ4EFgQUnhEcXsuEiKJO
nW1iKJp+wry/aCgwHwYDVR0jBBgwFoAUnhEcXsuEiKJOnW1iKJp+wry/aCgwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOM31R/nVLHwJqacDkgWxoUJOHcvNyN20KckZYTuXFCvAiAN
uyQfma2v9Lr9o4YQwdNYU1lFwlbUeSOFOZdmdrxnpg==
-----END CERTIFICATE-----
`;
