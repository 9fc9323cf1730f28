// Decodes meshes by Draco. Draco allocates what a file asks for, so its decoders are derived from here: they check the
// counts that the file states before Draco allocates for triangles and vertices, and the sizes of all attributes before
// it allocates for these.
#include "draco.h"

#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>

#include <memory>
#include <new>

struct lmb_draco {
    draco::Mesh mesh;
};

namespace {

// What Draco allocates for a triangle and for a vertex: corner tables, their copies for the seams of attributes, and
// stacks of traversals. What it allocates for each component of an attribute: the value, the integer that it was
// decoded from, and predictions.
constexpr uint64_t bytes_of_triangle = 256, bytes_of_vertex = 128, bytes_of_component = 24;

// The rest of what a mesh may take.
struct allowance {
    uint64_t bytes;
    bool exceeded = false;

    bool take(uint64_t count, uint64_t size) {
        exceeded = exceeded || count > bytes / size;
        bytes -= exceeded ? 0 : count * size;
        return !exceeded;
    }
};

// Reads the numbers of triangles and vertices, with which a connectivity begins. Edgebreaker's of old versions begins
// with another number of vertices. Versions before 2.0 store words.
bool check_counts(draco::DecoderBuffer buffer, bool is_edgebreaker, uint16_t version, allowance *left) {
    const int numbers = is_edgebreaker && version < DRACO_BITSTREAM_VERSION(2, 2) ? 3 : 2;
    for (int i = 0; i < numbers; i++) {
        uint32_t count = 0;
        const bool read =
            version < DRACO_BITSTREAM_VERSION(2, 0) ? buffer.Decode(&count) : draco::DecodeVarint(&count, &buffer);
        if (!read || !left->take(count, bytes_of_triangle)) {
            return false;
        }
    }
    return true;
}

bool check_attributes(const draco::PointCloud *cloud, allowance *left) {
    for (int i = 0; i < cloud->num_attributes(); i++) {
        const draco::PointAttribute *attribute = cloud->attribute(i);
        const uint64_t components = static_cast<uint64_t>(attribute->num_components());
        if (!left->take(cloud->num_points(), bytes_of_vertex + components * bytes_of_component)) {
            return false;
        }
    }
    return true;
}

template <class Decoder, bool is_edgebreaker> class bounded : public Decoder {
  public:
    explicit bounded(allowance *left) : left_(left) {}

  protected:
    bool DecodeConnectivity() override {
        return check_counts(*this->buffer(), is_edgebreaker, this->bitstream_version(), left_) &&
               Decoder::DecodeConnectivity();
    }
    bool DecodeAllAttributes() override {
        return check_attributes(this->point_cloud(), left_) && Decoder::DecodeAllAttributes();
    }

  private:
    allowance *left_;
};

bool decode(draco::MeshDecoder *decoder, draco::DecoderBuffer *buffer, draco::Mesh *mesh) {
    const draco::DecoderOptions options;
    return decoder->Decode(options, buffer, mesh).ok();
}

bool decode_any(const uint8_t *bytes, size_t size, allowance *left, draco::Mesh *mesh) {
    draco::DecoderBuffer buffer, header_buffer;
    draco::DracoHeader header;
    buffer.Init(reinterpret_cast<const char *>(bytes), size);
    header_buffer.Init(reinterpret_cast<const char *>(bytes), size);
    if (!draco::PointCloudDecoder::DecodeHeader(&header_buffer, &header).ok() ||
        header.encoder_type != draco::TRIANGULAR_MESH) {
        return false;
    }
    if (header.encoder_method == draco::MESH_EDGEBREAKER_ENCODING) {
        bounded<draco::MeshEdgebreakerDecoder, true> decoder(left);
        return decode(&decoder, &buffer, mesh);
    }
    bounded<draco::MeshSequentialDecoder, false> decoder(left);
    return header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING && decode(&decoder, &buffer, mesh);
}

template <class Value> bool copy(const draco::PointAttribute *attribute, uint32_t count, uint32_t width, void *values) {
    Value *to = static_cast<Value *>(values);
    for (uint32_t i = 0; i < count; i++, to += width) {
        const draco::AttributeValueIndex from = attribute->mapped_index(draco::PointIndex(i));
        if (from.value() >= attribute->size() ||
            !attribute->ConvertValue<Value>(from, static_cast<int8_t>(width), to)) {
            return false;
        }
    }
    return true;
}

bool copy_as(const draco::PointAttribute *attribute, int component, uint32_t count, uint32_t width, void *values) {
    switch (component) {
    case 5120:
        return copy<int8_t>(attribute, count, width, values);
    case 5121:
        return copy<uint8_t>(attribute, count, width, values);
    case 5122:
        return copy<int16_t>(attribute, count, width, values);
    case 5123:
        return copy<uint16_t>(attribute, count, width, values);
    case 5125:
        return copy<uint32_t>(attribute, count, width, values);
    case 5126:
        return copy<float>(attribute, count, width, values);
    default:
        return false;
    }
}

} // namespace

lmb_draco *lmb_draco_decode(const uint8_t *bytes, size_t size, size_t limit, bool *exceeded, const char **why) {
    allowance left = {limit};
    *why = "it is no mesh that Draco reads";
    try {
        std::unique_ptr<lmb_draco> result(new lmb_draco);
        if (decode_any(bytes, size, &left, &result->mesh)) {
            // Values are taken as they are stored. Draco stores any byte of a file as this flag.
            for (int i = 0; i < result->mesh.num_attributes(); i++) {
                result->mesh.attribute(i)->set_normalized(false);
            }
            return result.release();
        }
    } catch (const std::bad_alloc &) {
        *exceeded = true;
    } catch (...) {
        *why = "Draco failed";
    }
    *exceeded = *exceeded || left.exceeded;
    return nullptr;
}

void lmb_draco_destroy(lmb_draco *mesh) {
    delete mesh;
}

uint32_t lmb_draco_vertex_count(const lmb_draco *mesh) {
    return mesh->mesh.num_points();
}

uint32_t lmb_draco_index_count(const lmb_draco *mesh) {
    return mesh->mesh.num_faces() * 3;
}

bool lmb_draco_indices(const lmb_draco *mesh, uint32_t *indices) {
    for (uint32_t i = 0; i < mesh->mesh.num_faces(); i++) {
        const draco::Mesh::Face &face = mesh->mesh.face(draco::FaceIndex(i));
        for (size_t corner = 0; corner < 3; corner++) {
            *indices = face[corner].value();
            if (*indices++ >= mesh->mesh.num_points()) {
                return false;
            }
        }
    }
    return true;
}

bool lmb_draco_attribute(const lmb_draco *mesh, uint32_t id, int component, uint32_t width, void *values) {
    try {
        const draco::PointAttribute *attribute = mesh->mesh.GetAttributeByUniqueId(id);
        // glTF has no booleans, and Draco reads those of a file as they are stored, whatever byte that is.
        return attribute != nullptr && attribute->data_type() != draco::DT_BOOL &&
               copy_as(attribute, component, mesh->mesh.num_points(), width, values);
    } catch (...) {
        return false;
    }
}
