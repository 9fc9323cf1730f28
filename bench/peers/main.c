// limber-peers: compares Limber's CPU paths with ozz-animation and ACL, doing the same work in one process, in turns.
// Checks first that their results agree.
#include "peer.h"

#include "clock.h"
#include "divergent.h"
#include "game.h"
#include "node.h"
#include "random.h"
#include "workload.h"

#include <limber/cpu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES = 3,
    MOST_CONTESTANTS = 3 + 2 * LMB_CPU_PATH_COUNT,
    NODE_CHARACTERS = 1000,
    MOST_TURNS = 2000,
    FEWEST_TURNS = 5,
    MOST_FRAMES = 64,
    POSES = 1000
};

static const uint32_t sizes[SIZES] = {16, 2000, 10000};
static const double turn_seconds = 2e-3;
// In metres: ozz quantises keys, and its optimiser moves points by more than the 1 mm that it allows for each joint.
static const double palette_bound = 0.005, compressed_palette_bound = 0.05;
// Of the workload "game": what the optimiser moves in the body, in the layer and in additives is added up.
static const double game_palette_bound = 0.1;
static const double pose_bound = 0.002; // also of rotations' components
static const float acl_precision = 1e-4f, acl_shell = 0.03f;

typedef struct contestant {
    char name[32];
    lmb_cpu *cpu;   // NULL: the peer
    uint32_t part;  // of run_node(): NODE_...
    uint32_t frame; // the next one
    uint32_t frames_in_turn;
    uint32_t turns;
    double spent;
    double values[MOST_TURNS]; // microseconds for each unit of work
    double median;
} contestant;

typedef struct contestants {
    contestant *each;
    uint32_t count;
} contestants;

static int fail(const char *where, const lmb_error *error) {
    fprintf(stderr, "limber-peers: %s: %s\n", where, error->message);
    return 1;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "limber-peers: no memory\n");
        exit(1);
    }
    return memory;
}

// ---- Turns: as many frames as take about two milliseconds, one contestant after another.

// Work of several contestants. A unit of work is a character or a pose.
typedef struct work {
    // Prepares frames, which is not timed; or NULL.
    void (*prepare)(const struct work *work, uint32_t first_frame, uint32_t count);
    // Runs a prepared frame, counted from the first one.
    bool (*run)(const struct work *work, contestant *contestant, uint32_t index, lmb_error *error);
    uint32_t units; // in a frame
    void *data;
} work;

// Runs a turn, and returns the seconds of a frame, or a negative number.
static double run_turn(const work *work, contestant *contestant, uint32_t frames, lmb_error *error) {
    if (work->prepare != NULL) {
        work->prepare(work, contestant->frame, frames);
    }
    const double start = clock_thread_seconds();
    for (uint32_t i = 0; i < frames; i++) {
        if (!work->run(work, contestant, i, error)) {
            return -1.0;
        }
    }
    const double seconds = clock_thread_seconds() - start;
    contestant->frame += frames;
    contestant->spent += seconds;
    contestant->values[contestant->turns++] = 1e6 * seconds / frames / work->units;
    return seconds / frames;
}

// Warms up, and finds the frames of a turn. A first frame decodes tracks and fills caches, so it says nothing of the
// others.
static bool begin(const work *work, contestant *contestant, lmb_error *error) {
    uint32_t frames = 1;
    bool done = run_turn(work, contestant, frames, error) >= 0.0;
    for (bool more = done; more;) {
        const double seconds = run_turn(work, contestant, frames, error);
        done = seconds >= 0.0;
        more = done && frames < MOST_FRAMES && seconds * frames < turn_seconds;
        frames *= more ? 2 : 1;
    }
    contestant->frames_in_turn = frames;
    contestant->turns = 0;
    contestant->spent = 0.0;
    return done;
}

static bool measure(const work *work, contestant *contestants, uint32_t count, double seconds, lmb_error *error) {
    bool done = true, more = true;
    for (uint32_t i = 0; i < count && done; i++) {
        done = begin(work, &contestants[i], error);
    }
    for (uint32_t round = 0; done && more && round < MOST_TURNS; round++) {
        more = false;
        for (uint32_t i = 0; i < count && done; i++) {
            done = run_turn(work, &contestants[i], contestants[i].frames_in_turn, error) >= 0.0;
            more = more || round + 1 < FEWEST_TURNS || contestants[i].spent < seconds;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        qsort(contestants[i].values, contestants[i].turns, sizeof(double), compare_doubles);
        contestants[i].median = contestants[i].values[contestants[i].turns / 2];
    }
    return done;
}

static bool add_paths(const lmb_graph *graph, uint32_t part, contestants *all, lmb_error *error) {
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (path != LMB_CPU_FAST && lmb_cpu_has((lmb_cpu_path)path)) {
            contestant *own = &all->each[all->count];
            snprintf(own->name, sizeof own->name, "Limber %s", lmb_cpu_path_name((lmb_cpu_path)path));
            own->part = part;
            if (lmb_cpu_create(graph, (lmb_cpu_path)path, NULL, &own->cpu, error) != LMB_OK) {
                return false;
            }
            all->count++;
        }
    }
    return true;
}

static void release(contestants *all) {
    for (uint32_t i = 0; i < all->count; i++) {
        lmb_cpu_destroy(all->each[i].cpu);
    }
    free(all->each);
}

// ---- Poses of clips, as Limber's reference samples them.

// Creates a graph that plays one clip at parameter 0.
static lmb_graph *create_player(const actor *actor, uint32_t clip, lmb_error *error) {
    const lmb_clip *clips[1] = {actor->clips[clip]};
    lmb_node_def node = lmb_clip_node(0, lmb_parameter(0));
    node.loop = false; // so that the last key is not the first one
    const lmb_graph_def def = {
        .rig = actor->rig, .clips = clips, .clip_count = 1, .nodes = &node, .node_count = 1, .parameter_count = 1};
    lmb_graph *graph = NULL;
    return lmb_graph_create(&def, NULL, &graph, error) == LMB_OK ? graph : NULL;
}

// Local outputs are [10][joints].
static lmb_transform transform_at(const float *local, uint32_t joints, uint32_t joint) {
    lmb_transform pose;
    for (uint32_t i = 0; i < 10; i++) {
        const float value = local[(size_t)i * joints + joint];
        *(i < 3 ? &pose.translation[i] : i < 7 ? &pose.rotation[i - 3] : &pose.scale[i - 7]) = value;
    }
    return pose;
}

static bool sample_clip(const lmb_rig *rig, const lmb_clip *clip, sampled_clip *sampled, lmb_error *error) {
    keyframes keys;
    const bool done = keyframes_create(lmb_clip_get_info(clip)->duration, lmb_rig_get_def(rig)->joint_count, &keys,
                                       error) == LMB_OK &&
                      keyframes_sample(&keys, rig, clip, 0.0f, error) == LMB_OK;
    *sampled = (sampled_clip){keys.duration, keys.count, keys.poses};
    return done;
}

// ---- A crowd, beside ozz.

typedef struct crowd_work {
    const workload *workload;
    ozz_crowd *ozz;
    uint32_t characters;
    float *parameters; // [MOST_FRAMES][characters]: the workload's
    peer_uses *uses;   // [MOST_FRAMES][characters]: of a divergent workload, or NULL
    float *palettes;
} crowd_work;

static float *parameters_of(const crowd_work *crowd, uint32_t index) {
    return crowd->parameters +
           (size_t)index * crowd->characters * lmb_graph_get_info(crowd->workload->graph)->parameter_count;
}

// Additive clips follow the workload's.
static uint32_t find_additive(const crowd_work *crowd, uint32_t clip) {
    return crowd->workload->clip_count + (clip == game_additives[0] ? 0 : 1);
}

_Static_assert((int)PEER_USES >= (int)GAME_USES, "a peer's character plays fewer clips than one of the game");

static void prepare_game(const crowd_work *crowd, uint32_t frame, peer_uses *uses) {
    static const peer_layer layers[] = {
        [GAME_BODY] = PEER_BODY, [GAME_UPPER] = PEER_UPPER, [GAME_ADDITIVE] = PEER_ADDITIVE};
    for (uint32_t i = 0; i < crowd->characters; i++) {
        game_use found[GAME_USES];
        uses[i].count = game_find_uses(crowd->workload, i, frame, found);
        for (uint32_t k = 0; k < uses[i].count; k++) {
            const game_use *use = &found[k];
            const uint32_t clip = use->layer == GAME_ADDITIVE ? find_additive(crowd, use->clip) : use->clip;
            uses[i].each[k] = (peer_use){layers[use->layer], clip, use->time, use->weight};
        }
    }
}

static void prepare_divergent(const crowd_work *crowd, uint32_t frame, peer_uses *uses) {
    for (uint32_t i = 0; i < crowd->characters; i++) {
        divergent_use found[DIVERGENT_ACTIVE];
        uses[i].count = divergent_find_uses(crowd->workload, i, frame, found);
        for (uint32_t k = 0; k < uses[i].count; k++) {
            uses[i].each[k] = (peer_use){PEER_BODY, found[k].clip, found[k].time, found[k].weight};
        }
    }
}

static void prepare_crowd(const work *work, uint32_t first_frame, uint32_t count) {
    const crowd_work *crowd = work->data;
    for (uint32_t i = 0; i < count; i++) {
        workload_fill(crowd->workload, crowd->characters, first_frame + i, parameters_of(crowd, i));
        if (crowd->uses != NULL) {
            peer_uses *uses = crowd->uses + (size_t)i * crowd->characters;
            (crowd->workload->kind == WORKLOAD_GAME ? prepare_game : prepare_divergent)(crowd, first_frame + i, uses);
        }
    }
}

static bool run_crowd(const work *work, contestant *contestant, uint32_t index, lmb_error *error) {
    const crowd_work *crowd = work->data;
    const float *parameters = parameters_of(crowd, index);
    if (contestant->cpu == NULL) {
        *error = (lmb_error){.result = LMB_ERROR_UNSUPPORTED, .message = "ozz: a job failed"};
        return crowd->uses != NULL ? ozz_crowd_run_uses(crowd->ozz, crowd->uses + (size_t)index * crowd->characters)
                                   : ozz_crowd_run(crowd->ozz, parameters);
    }
    const lmb_batch_def batch = {crowd->workload->graph, crowd->characters, LMB_OUTPUT_PALETTE_BIT};
    const lmb_batch_inputs inputs = {.parameters = parameters};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_PALETTE] = crowd->palettes}};
    return lmb_cpu_run(contestant->cpu, &batch, &inputs, &outputs, error) == LMB_OK;
}

// Returns the largest difference between elements of the palettes of both after frame 0; HUGE_VAL if a run fails.
static double compare_palettes(const work *work, contestant *limber, contestant *ozz, lmb_error *error) {
    const crowd_work *crowd = work->data;
    const uint32_t joints = lmb_rig_get_def(crowd->workload->actor->rig)->joint_count;
    lmb_affine *palette = allocate(joints, sizeof *palette);
    prepare_crowd(work, 0, 1);
    double largest = run_crowd(work, limber, 0, error) && run_crowd(work, ozz, 0, error) ? 0.0 : HUGE_VAL;
    for (uint32_t i = 0; i < crowd->characters && largest < HUGE_VAL; i++) {
        ozz_crowd_palette(crowd->ozz, i, palette);
        const float *own = crowd->palettes + (size_t)i * joints * 12, *other = &palette[0].m[0][0];
        for (size_t k = 0; k < (size_t)joints * 12; k++) {
            largest = fmax(largest, fabs((double)own[k] - (double)other[k]));
        }
    }
    free(palette);
    return largest;
}

// Measures one size, ozz first. Returns the largest difference between the palettes, or a negative number.
static double measure_crowd(crowd_work *crowd, double bound, contestants *all, double seconds, lmb_error *error) {
    const work work = {prepare_crowd, run_crowd, crowd->characters, crowd};
    *all = (contestants){.count = 1, .each = allocate(MOST_CONTESTANTS, sizeof *all->each)};
    snprintf(all->each[0].name, sizeof all->each[0].name, "ozz-animation");
    if (crowd->ozz == NULL || !add_paths(crowd->workload->graph, 0, all, error)) {
        return -1.0;
    }
    const double difference = compare_palettes(&work, &all->each[1], &all->each[0], error);
    if (difference == HUGE_VAL) {
        return -1.0;
    }
    if (difference > bound) {
        snprintf(error->message, sizeof error->message, "the palettes differ by %g", difference);
        return -1.0;
    }
    return measure(&work, all->each, all->count, seconds, error) ? difference : -1.0;
}

static void print_crowds(const contestants all[SIZES], const double differences[SIZES], const char *clips) {
    printf("\nMicroseconds a character, %s; in brackets ozz's time divided by it:\n\n| characters |", clips);
    for (int size = 0; size < SIZES; size++) {
        printf(" %u |", sizes[size]);
    }
    printf("\n| --- | ---: | ---: | ---: |\n");
    for (uint32_t i = 0; i < all[0].count; i++) {
        printf("| %s |", all[0].each[i].name);
        for (int size = 0; size < SIZES; size++) {
            const double median = all[size].each[i].median;
            if (i == 0) {
                printf(" %.2f |", median);
            } else {
                printf(" %.2f (%.2f) |", median, all[size].each[0].median / median);
            }
        }
        printf("\n");
    }
    printf("\nThe palettes agree within %.2g.\n", fmax(differences[0], fmax(differences[1], differences[2])));
}

static crowd_work create_crowd(const workload *workload, const sampled_clip *sampled, uint32_t characters,
                               bool compressed, const lmb_node_def *ik) {
    const lmb_rig *rig = workload->actor->rig;
    const size_t parameters = (size_t)characters * lmb_graph_get_info(workload->graph)->parameter_count;
    const size_t palettes = (size_t)characters * lmb_rig_get_def(rig)->joint_count * 12;
    return (crowd_work){.workload = workload,
                        .characters = characters,
                        .ozz = ozz_crowd_create(rig, sampled, characters, compressed, ik),
                        .parameters = allocate(MOST_FRAMES * parameters, sizeof(float)),
                        .palettes = allocate(palettes, sizeof(float))};
}

static void destroy_crowd(crowd_work *crowd) {
    ozz_crowd_destroy(crowd->ozz);
    free(crowd->uses);
    free(crowd->parameters);
    free(crowd->palettes);
}

static int run_crowds(const actor *actor, const sampled_clip *sampled, bool compressed, double seconds) {
    workload workload = {0};
    contestants all[SIZES] = {0};
    double differences[SIZES] = {0};
    lmb_error error;
    bool done = workload_create(WORKLOAD_FOUR_CLIPS, actor, &workload, &error) == LMB_OK;
    for (int i = 0; i < SIZES && done; i++) {
        crowd_work crowd = create_crowd(&workload, sampled, sizes[i], compressed, NULL);
        error = (lmb_error){.result = LMB_ERROR_UNSUPPORTED, .message = "ozz refuses the rig or a clip"};
        differences[i] =
            measure_crowd(&crowd, compressed ? compressed_palette_bound : palette_bound, &all[i], seconds, &error);
        done = differences[i] >= 0.0;
        if (done && i == 0) {
            printf("Bytes of the clips in ozz:");
            for (uint32_t clip = 0; clip < PEER_CLIPS; clip++) {
                printf(" %zu", ozz_clip_bytes(crowd.ozz, clip));
            }
            printf("; in Limber:");
            for (uint32_t clip = 0; clip < PEER_CLIPS; clip++) {
                size_t size;
                lmb_clip_block(actor->clips[clip], &size);
                printf(" %zu", size);
            }
            printf("\n");
        }
        destroy_crowd(&crowd);
    }
    if (done) {
        print_crowds(all, differences, compressed ? "clips compressed by both" : "clips as they are");
    }
    for (int i = 0; i < SIZES; i++) {
        release(&all[i]);
    }
    workload_destroy(&workload);
    return done ? 0 : fail("crowd", &error);
}

// ---- Crowds whose characters play clips of their own.

static int run_divergent(workload_kind kind, const actor *actor, const struct actor *plain, double seconds) {
    sampled_clip sampled[WORKLOAD_MOST_CLIPS] = {0};
    workload workload = {0}, authored = {0};
    contestants all[SIZES] = {0};
    double differences[SIZES] = {0};
    lmb_error error;
    bool done = workload_create(kind, actor, &workload, &error) == LMB_OK &&
                workload_create(kind, plain, &authored, &error) == LMB_OK;
    for (uint32_t i = 0; i < authored.clip_count && done; i++) {
        done = sample_clip(plain->rig, authored.clips[i], &sampled[i], &error);
    }
    peer_clips clips = {sampled, authored.clip_count, 0};
    if (kind == WORKLOAD_GAME && done) {
        for (; clips.additive_count < GAME_ADDITIVES; clips.additive_count++) {
            sampled[clips.count++] = sampled[game_additives[clips.additive_count]];
        }
    }
    for (int i = 0; i < SIZES && done; i++) {
        crowd_work crowd = {
            .workload = &workload,
            .characters = sizes[i],
            .ozz = ozz_crowd_create_divergent(actor->rig, &clips, actor->upper_body, sizes[i],
                                              kind == WORKLOAD_GAME ? GAME_USES : DIVERGENT_ACTIVE, actor->compressed),
            .parameters = allocate((size_t)MOST_FRAMES * sizes[i] * lmb_graph_get_info(workload.graph)->parameter_count,
                                   sizeof(float)),
            .uses = allocate((size_t)MOST_FRAMES * sizes[i], sizeof(peer_uses)),
            .palettes = allocate((size_t)sizes[i] * lmb_rig_get_def(actor->rig)->joint_count * 12, sizeof(float))};
        error = (lmb_error){.result = LMB_ERROR_UNSUPPORTED, .message = "ozz refuses the rig or a clip"};
        // Limber's blend of two clips is a slerp, ozz's an nlerp.
        const bool exact = !actor->compressed && kind != WORKLOAD_DIVERGENT_FADES && kind != WORKLOAD_GAME;
        const bool adds_up = kind == WORKLOAD_GAME && actor->compressed;
        const double bound = exact ? palette_bound : adds_up ? game_palette_bound : compressed_palette_bound;
        differences[i] = measure_crowd(&crowd, bound, &all[i], seconds, &error);
        done = differences[i] >= 0.0;
        destroy_crowd(&crowd);
    }
    if (done) {
        char title[96];
        snprintf(title, sizeof title, "%s, clips %s", workload_kind_name(kind),
                 actor->compressed ? "compressed by both" : "as they are");
        print_crowds(all, differences, title);
    }
    for (int i = 0; i < SIZES; i++) {
        release(&all[i]);
    }
    for (uint32_t i = 0; i < authored.clip_count; i++) {
        free(sampled[i].poses);
    }
    workload_destroy(&workload);
    workload_destroy(&authored);
    return done ? 0 : fail(workload_kind_name(kind), &error);
}

// ---- A node above the clips, beside ozz's jobs of inverse kinematics.

enum {
    NODE_WITHOUT, // the clips alone
    NODE_WITH,
    NODE_ALONE, // ozz's job without anything else
    NODE_PARTS
};

typedef struct node_work {
    crowd_work parts[2]; // NODE_WITHOUT, NODE_WITH
} node_work;

static work part_of(const work *work, uint32_t part) {
    node_work *node = work->data;
    struct work of = *work;
    of.data = &node->parts[part == NODE_WITHOUT ? NODE_WITHOUT : NODE_WITH];
    return of;
}

static void prepare_node(const work *work, uint32_t first_frame, uint32_t count) {
    for (uint32_t part = NODE_WITHOUT; part <= NODE_WITH; part++) {
        const struct work of = part_of(work, part);
        prepare_crowd(&of, first_frame, count);
    }
}

static bool run_node(const work *work, contestant *contestant, uint32_t index, lmb_error *error) {
    const struct work of = part_of(work, contestant->part);
    if (contestant->part == NODE_ALONE) {
        const crowd_work *crowd = of.data;
        return ozz_crowd_run_ik(crowd->ozz, parameters_of(crowd, index));
    }
    return run_crowd(&of, contestant, index, error);
}

// Measures ozz without, with and alone, then each path without and with the node. Returns the largest difference
// between the palettes, or a negative number.
static double measure_node(node_work *node, contestants *all, double seconds, lmb_error *error) {
    static const char *const names[NODE_PARTS] = {"ozz, without", "ozz", "ozz, the job alone"};
    const work work = {prepare_node, run_node, NODE_CHARACTERS, node};
    *all = (contestants){.count = NODE_PARTS, .each = allocate(MOST_CONTESTANTS, sizeof *all->each)};
    for (uint32_t part = 0; part < NODE_PARTS; part++) {
        snprintf(all->each[part].name, sizeof all->each[part].name, "%s", names[part]);
        all->each[part].part = part;
    }
    const crowd_work *with = &node->parts[NODE_WITH], *without = &node->parts[NODE_WITHOUT];
    if (with->ozz == NULL || without->ozz == NULL || !add_paths(without->workload->graph, NODE_WITHOUT, all, error) ||
        !add_paths(with->workload->graph, NODE_WITH, all, error)) {
        return -1.0;
    }
    const struct work whole = part_of(&work, NODE_WITH);
    const double difference = compare_palettes(&whole, &all->each[all->count - 1], &all->each[NODE_WITH], error);
    if (difference > palette_bound) {
        snprintf(error->message, sizeof error->message, "the palettes differ by %g", difference);
        return -1.0;
    }
    prepare_node(&work, 0, 1);
    const bool kept = ozz_crowd_keep(with->ozz, parameters_of(with, 0));
    return kept && measure(&work, all->each, all->count, seconds, error) ? difference : -1.0;
}

static void print_node(const contestants *all, const char *name, double difference) {
    const uint32_t paths = (all->count - NODE_PARTS) / 2;
    const double ozz = all->each[NODE_WITH].median - all->each[NODE_WITHOUT].median;
    printf("| %s | %.3f (%.3f) |", name, ozz, all->each[NODE_ALONE].median);
    for (uint32_t i = 0; i < paths; i++) {
        const contestant *without = &all->each[NODE_PARTS + i], *with = without + paths;
        const double more = with->median - without->median;
        printf(" %.3f (%.2f) |", more, ozz / more);
    }
    printf(" %.2g |\n", difference);
}

static void print_node_header(void) {
    printf("\nMicroseconds a character that a node adds to the clips, %d characters; for ozz in brackets that of its\n"
           "job alone, without correcting joints and without the model matrices that then change; for Limber in\n"
           "brackets ozz's time divided by it. The last column is the largest difference between palettes.\n\n"
           "| node | ozz-animation |",
           NODE_CHARACTERS);
    uint32_t paths = 0;
    for (int path = 0; path < LMB_CPU_PATH_COUNT; path++) {
        if (path != LMB_CPU_FAST && lmb_cpu_has((lmb_cpu_path)path)) {
            printf(" Limber %s |", lmb_cpu_path_name((lmb_cpu_path)path));
            paths++;
        }
    }
    printf(" difference |\n| --- | ---: |");
    for (uint32_t i = 0; i <= paths; i++) {
        printf(" ---: |");
    }
    printf("\n");
}

static int run_node_row(const actor *actor, const sampled_clip *sampled, workload_kind kind, double seconds) {
    workload with = {0}, without = {0};
    lmb_node_def ik;
    contestants all = {0};
    lmb_error error;
    bool done = node_make(kind, actor->rig, 0, PEER_CLIPS, &ik, &error) == LMB_OK &&
                workload_create(kind, actor, &with, &error) == LMB_OK &&
                workload_create(WORKLOAD_FOUR_CLIPS, actor, &without, &error) == LMB_OK;
    if (done) {
        node_work node = {{create_crowd(&without, sampled, NODE_CHARACTERS, false, NULL),
                           create_crowd(&with, sampled, NODE_CHARACTERS, false, &ik)}};
        error = (lmb_error){.result = LMB_ERROR_UNSUPPORTED, .message = "ozz refuses the rig, a clip or the joints"};
        const double difference = measure_node(&node, &all, seconds, &error);
        done = difference >= 0.0;
        if (done) {
            print_node(&all, workload_kind_name(kind), difference);
        }
        destroy_crowd(&node.parts[NODE_WITHOUT]);
        destroy_crowd(&node.parts[NODE_WITH]);
    }
    release(&all);
    workload_destroy(&with);
    workload_destroy(&without);
    return done ? 0 : fail(workload_kind_name(kind), &error);
}

// ---- Poses of one compressed clip, beside ACL.

typedef struct pose_work {
    lmb_graph *graph;
    acl_clip *acl;
    float times[POSES];
    float *locals;
} pose_work;

static bool run_poses(const work *work, contestant *contestant, uint32_t index, lmb_error *error) {
    (void)index;
    const pose_work *poses = work->data;
    if (contestant->cpu == NULL) {
        acl_clip_run(poses->acl, poses->times, POSES);
        return true;
    }
    const lmb_batch_def batch = {poses->graph, POSES, LMB_OUTPUT_LOCAL_BIT};
    const lmb_batch_inputs inputs = {.parameters = poses->times};
    const lmb_batch_outputs outputs = {.buffers = {[LMB_OUTPUT_LOCAL] = poses->locals}};
    return lmb_cpu_run(contestant->cpu, &batch, &inputs, &outputs, error) == LMB_OK;
}

// Returns the largest difference between the last poses of both. Rotations may have opposite signs.
static double compare_poses(const pose_work *work, uint32_t joints) {
    lmb_transform *pose = allocate(joints, sizeof *pose);
    const size_t floats = (size_t)joints * 10;
    double largest = 0.0;
    acl_clip_pose(work->acl, pose);
    for (uint32_t joint = 0; joint < joints; joint++) {
        const lmb_transform own = transform_at(work->locals + (POSES - 1) * floats, joints, joint);
        const float *a = own.rotation, *b = pose[joint].rotation;
        const float sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0f ? -1.0f : 1.0f;
        for (uint32_t i = 0; i < 4; i++) {
            largest = fmax(largest, fabs((double)a[i] - (double)(sign * b[i])));
        }
        for (uint32_t i = 0; i < 3; i++) {
            largest = fmax(largest, fabs((double)own.translation[i] - (double)pose[joint].translation[i]));
            largest = fmax(largest, fabs((double)own.scale[i] - (double)pose[joint].scale[i]));
        }
    }
    free(pose);
    return largest;
}

static bool measure_poses(const actor *actor, pose_work *poses, double seconds, contestants *all, lmb_error *error) {
    const work work = {NULL, run_poses, POSES, poses};
    const uint32_t joints = lmb_rig_get_def(actor->rig)->joint_count;
    *all = (contestants){.count = 1, .each = allocate(MOST_CONTESTANTS, sizeof *all->each)};
    snprintf(all->each[0].name, sizeof all->each[0].name, "ACL");
    if (!add_paths(poses->graph, 0, all, error) || !run_poses(&work, &all->each[0], 0, error) ||
        !run_poses(&work, &all->each[1], 0, error)) {
        return false;
    }
    const double difference = compare_poses(poses, joints);
    if (difference > pose_bound) {
        snprintf(error->message, sizeof error->message, "ACL's pose differs by %g", difference);
        return false;
    }
    return measure(&work, all->each, all->count, seconds, error);
}

static int run_clip(const actor *actor, const sampled_clip *sampled, uint32_t index, double seconds) {
    contestants all = {0};
    lmb_error error = {.result = LMB_ERROR_UNSUPPORTED, .message = "ACL refuses the clip"};
    pose_work poses = {.graph = create_player(actor, index, &error),
                       .acl = acl_clip_create(actor->rig, sampled, acl_precision, acl_shell),
                       .locals =
                           allocate((size_t)POSES * lmb_rig_get_def(actor->rig)->joint_count * 10, sizeof(float))};
    uint32_t state = 1;
    for (uint32_t i = 0; i < POSES; i++) {
        poses.times[i] = (float)(random_next(&state) % 65536) / 65536.0f * sampled->duration;
    }
    const bool done = poses.graph != NULL && poses.acl != NULL && measure_poses(actor, &poses, seconds, &all, &error);
    if (done) {
        size_t size;
        lmb_clip_block(actor->clips[index], &size);
        if (index == 0) {
            printf(
                "\nMicroseconds a pose, compressed clips, in brackets ACL's time divided by it:\n\n| clip | bytes |");
            printf(" bytes in ACL |");
            for (uint32_t i = 0; i < all.count; i++) {
                printf(" %s |", all.each[i].name);
            }
            printf("\n| --- | ---: | ---: |");
            for (uint32_t i = 0; i < all.count; i++) {
                printf(" ---: |");
            }
        }
        printf("\n| %s | %zu | %zu |", lmb_clip_get_info(actor->clips[index])->name, size, acl_clip_bytes(poses.acl));
        for (uint32_t i = 0; i < all.count; i++) {
            const double median = all.each[i].median;
            if (i == 0) {
                printf(" %.2f |", median);
            } else {
                printf(" %.2f (%.2f) |", median, all.each[0].median / median);
            }
        }
    }
    release(&all);
    acl_clip_destroy(poses.acl);
    lmb_graph_destroy(poses.graph);
    free(poses.locals);
    return done ? 0 : fail("clip", &error);
}

// ---- The program.

static const char usage[] =
    "limber-peers [procedural|mannequin|pab] [SECONDS]\n"
    "Compares Limber with ozz-animation and ACL. SECONDS (1) is the time of each row and size. Of the mannequin also\n"
    "two nodes of inverse kinematics beside ozz's jobs.\n";

static int find_kind(const char *name) {
    for (int kind = 0; kind < ACTOR_KIND_COUNT; kind++) {
        if (strcmp(actor_kind_name((actor_kind)kind), name) == 0) {
            return kind;
        }
    }
    return -1;
}

static int run_all(actor_kind kind, double seconds) {
    sampled_clip sampled[PEER_CLIPS] = {0};
    actor plain = {0}, compressed = {0};
    lmb_error error;
    bool made = actor_create(kind, 67, false, &plain, &error) == LMB_OK &&
                actor_create(kind, 67, true, &compressed, &error) == LMB_OK;
    for (uint32_t i = 0; i < PEER_CLIPS && made; i++) {
        made = sample_clip(plain.rig, plain.clips[i], &sampled[i], &error);
    }
    int status = made ? 0 : fail("character", &error);
    for (int kind_of = WORKLOAD_DIVERGENT; kind_of <= WORKLOAD_GAME && status == 0; kind_of++) {
        status = run_divergent((workload_kind)kind_of, &plain, &plain, seconds);
        status = status == 0 ? run_divergent((workload_kind)kind_of, &compressed, &plain, seconds) : status;
    }
    status = status == 0 ? run_crowds(&plain, sampled, false, seconds) : status;
    status = status == 0 ? run_crowds(&compressed, sampled, true, seconds) : status;
    if (status == 0 && kind == ACTOR_MANNEQUIN) {
        print_node_header();
        status = run_node_row(&plain, sampled, WORKLOAD_IK_TWO_BONE, seconds);
        status = status == 0 ? run_node_row(&plain, sampled, WORKLOAD_IK_AIM, seconds) : status;
    }
    for (uint32_t i = 0; i < PEER_CLIPS - 1 && status == 0; i++) {
        status = run_clip(&compressed, &sampled[i], i, seconds);
    }
    printf("\n");
    for (uint32_t i = 0; i < PEER_CLIPS; i++) {
        free(sampled[i].poses);
    }
    actor_destroy(&plain);
    actor_destroy(&compressed);
    return status;
}

int main(int argc, char **argv) {
    const int kind = find_kind(argc > 1 ? argv[1] : "mannequin");
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.25;
    if (kind < 0 || argc > 3 || !(seconds > 0.0)) {
        fputs(usage, stderr);
        return 2;
    }
    return run_all((actor_kind)kind, seconds);
}
