// Digests of modules: known answers of SHA-256, and messages of each length around that of a block.
#include "suite.h"

#include "gpu/digest.h"

static void expect_digest(const uint32_t *words, size_t count, lmb_gpu_digest expected) {
    const lmb_gpu_digest digest = lmb_gpu_digest_of(words, count);
    assert_memory_equal(&digest, &expected, sizeof digest);
}

// The examples of FIPS 180-4 whose length is a number of words, and the empty message.
static void known_answers(void **state) {
    (void)state;
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint32_t words[14];
    for (size_t i = 0; i < 14; i++) {
        words[i] = 0;
        for (size_t j = 0; j < 4; j++) {
            words[i] = words[i] << 8 | (uint32_t)text[4 * i + j];
        }
    }
    expect_digest(words, 0,
                  (lmb_gpu_digest){{0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b,
                                    0x7852b855}});
    expect_digest(words, 14,
                  (lmb_gpu_digest){{0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167, 0xf6ecedd4,
                                    0x19db06c1}});
}

// The answers are those of Python's hashlib, for the words i * 2654435761 modulo 2^32.
static void lengths_around_a_block(void **state) {
    (void)state;
    static const struct {
        size_t count;
        lmb_gpu_digest expected;
    } cases[] = {
        {1, {{0xdf3f6198, 0x04a92fdb, 0x4057192d, 0xc43dd748, 0xea778adc, 0x52bc498c, 0xe80524c0, 0x14b81119}}},
        {13, {{0xb50192dc, 0x2b0872b0, 0xb04de597, 0xcb630d73, 0x55b614e3, 0xcfb6af9b, 0x2398e935, 0x58319a74}}},
        {14, {{0xf1bfd50e, 0xb9a52944, 0x5aa37cc3, 0x67a2be4c, 0x97d8e6ba, 0xa0413b27, 0xfa45f6fe, 0xff87df97}}},
        {16, {{0xf5c09766, 0x138d0eff, 0x67e08c33, 0x5bfc75c1, 0xc610db10, 0xd9642b35, 0xd4c476a4, 0x1e624b0b}}},
        {29, {{0x5aa24e73, 0x969d3c22, 0x92bfba91, 0xb443f586, 0x24874570, 0xee344b90, 0xdedab06d, 0x81739641}}},
        {48, {{0xd554c498, 0x9adabca6, 0x8c7e7b35, 0x507d493d, 0xd47795da, 0xbccf2ce0, 0x8dbb9691, 0xff4ec382}}},
    };
    uint32_t words[48];
    for (uint32_t i = 0; i < 48; i++) {
        words[i] = i * 2654435761u;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_digest(words, cases[i].count, cases[i].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers), cmocka_unit_test(lengths_around_a_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
